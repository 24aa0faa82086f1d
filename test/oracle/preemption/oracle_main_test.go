package preemption

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"testing"
)

// TestMain makes the test binary a filter: JSON Lines of cases in, JSON Lines of answers out.
func TestMain(_ *testing.M) {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "usage: preemption-oracle   (JSON Lines of cases on standard input; answers on standard output)")
		os.Exit(2)
	}
	silenceOracle()
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	// cases run on all CPUs; the answers keep the order of the cases
	pending := make(chan chan string, 4*runtime.GOMAXPROCS(0))
	busy := make(chan struct{}, runtime.GOMAXPROCS(0))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for answer := range pending {
			out.WriteString(<-answer)
			if len(pending) == 0 {
				out.Flush()
			}
		}
	}()
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 1 {
			answer := make(chan string, 1)
			pending <- answer
			busy <- struct{}{}
			go func() {
				answer <- answerLine(line)
				<-busy
			}()
		}
		if err != nil {
			break
		}
	}
	close(pending)
	<-done
	out.Flush()
	os.Exit(0)
}
