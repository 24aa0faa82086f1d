// The oracle: a kubelet's admission of one pod to its node, or a part of it, on a case given as JSON.
// This file is compiled inside a temporary copy of the upstream package (see build.sh).

package preemption

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/api/v1/resource"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	v1qos "k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"
)

// oracleLine is a line of `farloop plan --stream`: the Node, the Pods bound to it, and which of them asks to be admitted.
// It may ask for a part alone: the failure handler (reasons), the choice of victims (requirements), or what is said of each pod
// by itself (facts). There the pods keep the order of the line.
type oracleLine struct {
	ID           json.RawMessage   `json:"id"`
	Workload     string            `json:"workload"`
	Objects      []json.RawMessage `json:"objects"`
	Reasons      []oracleReason    `json:"reasons"`
	Requirements []oracleNeed      `json:"requirements"`
	Facts        bool              `json:"facts"`
	// Uids of the victims that do not die.
	KillFails []string `json:"killFails"`
}

type oracleCase struct {
	node     *v1.Node
	incoming *v1.Pod
	// In the order of their admission.
	others []*v1.Pod
}

type oracleReason struct {
	Resource  string `json:"resource,omitempty"`
	Requested int64  `json:"requested"`
	Used      int64  `json:"used"`
	Capacity  int64  `json:"capacity"`
	Predicate string `json:"predicate,omitempty"`
	Message   string `json:"message,omitempty"`
}

type oracleNeed struct {
	Resource string `json:"resource"`
	Quantity int64  `json:"quantity"`
}

type oracleFact struct {
	UID          string           `json:"uid"`
	QOSClass     v1.PodQOSClass   `json:"qosClass"`
	Critical     bool             `json:"critical"`
	NodeCritical bool             `json:"nodeCritical"`
	Static       bool             `json:"static"`
	Mirror       bool             `json:"mirror"`
	Preemptable  bool             `json:"preemptable"`
	VictimAmount map[string]int64 `json:"victimAmount"`
	FitAmount    map[string]int64 `json:"fitAmount"`
}

type oracleVictim struct {
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`
	UID       string        `json:"uid"`
	Status    *v1.PodStatus `json:"status,omitempty"`
}

type oracleEvent struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	UID     string `json:"uid"`
}

type oracleAnswer struct {
	ID      json.RawMessage `json:"id"`
	State   string          `json:"state,omitempty"` // admitted, preempting or rejected
	Reason  string          `json:"reason,omitempty"`
	Message string          `json:"message,omitempty"`
	// What the checks found, before the failure handler; and what that left of it.
	Failures  []oracleReason `json:"failures"`
	Remaining []oracleReason `json:"remaining"`
	// In the order of eviction, those that do not die included.
	Victims  []oracleVictim `json:"victims"`
	Killed   []string       `json:"killed"`
	Events   []oracleEvent  `json:"events"`
	Facts    []oracleFact   `json:"facts,omitempty"`
	Error    string         `json:"error,omitempty"`
	Unusable string         `json:"unusable,omitempty"`
}

func silenceOracle() {
	klog.SetLogger(logr.Discard())
}

// answerLine never fails: what the oracle cannot use, it says so in the answer.
func answerLine(text []byte) string {
	var line oracleLine
	answer := &oracleAnswer{}
	if err := json.Unmarshal(text, &line); err != nil {
		answer.Unusable = err.Error()
	} else {
		answer = answerCase(line)
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		encoded, _ = json.Marshal(oracleAnswer{ID: line.ID, Unusable: err.Error()})
	}
	return string(encoded) + "\n"
}

func answerCase(line oracleLine) (answer *oracleAnswer) {
	answer = emptyAnswer(line)
	defer func() {
		if problem := recover(); problem != nil {
			answer = emptyAnswer(line)
			answer.Unusable = fmt.Sprint(problem)
		}
	}()
	given, err := decodeCase(line)
	switch {
	case err != nil:
		answer.Unusable = err.Error()
	case line.Facts:
		for _, pod := range given.others {
			answer.Facts = append(answer.Facts, factOf(pod, given.incoming))
		}
	case line.Requirements != nil:
		answer.choose(given, line.Requirements)
	case line.Reasons != nil:
		answer.handle(given, line)
	default:
		answer.admit(given, line)
	}
	return answer
}

func emptyAnswer(line oracleLine) *oracleAnswer {
	return &oracleAnswer{
		ID:        line.ID,
		Failures:  []oracleReason{},
		Remaining: []oracleReason{},
		Victims:   []oracleVictim{},
		Killed:    []string{},
		Events:    []oracleEvent{},
	}
}

func decodeCase(line oracleLine) (*oracleCase, error) {
	given := &oracleCase{}
	for _, text := range line.Objects {
		var kind metav1.TypeMeta
		if err := json.Unmarshal(text, &kind); err != nil {
			return nil, err
		}
		if kind.Kind == "Node" {
			given.node = &v1.Node{}
			if err := json.Unmarshal(text, given.node); err != nil {
				return nil, err
			}
			continue
		}
		pod := &v1.Pod{}
		if err := json.Unmarshal(text, pod); err != nil {
			return nil, err
		}
		// As the API server does: requests from limits, among others.
		legacyscheme.Scheme.Default(pod)
		if fmt.Sprintf("Pod/%s/%s", pod.Namespace, pod.Name) == line.Workload {
			given.incoming = pod
		} else {
			given.others = append(given.others, pod)
		}
	}
	if given.incoming == nil && !line.Facts {
		return nil, errors.New("no pod asks to be admitted")
	}
	if line.Requirements == nil && !line.Facts {
		sort.SliceStable(given.others, func(i, j int) bool {
			one, other := given.others[i], given.others[j]
			if !one.CreationTimestamp.Equal(&other.CreationTimestamp) {
				return one.CreationTimestamp.Before(&other.CreationTimestamp)
			}
			return one.UID < other.UID
		})
	}
	return given, nil
}

// active leaves out what a kubelet leaves out: pods of which nothing runs any more.
func (given *oracleCase) active() []*v1.Pod {
	active := []*v1.Pod{}
	for _, pod := range given.others {
		if pod.Status.Phase != v1.PodFailed && pod.Status.Phase != v1.PodSucceeded {
			active = append(active, pod)
		}
	}
	return active
}

func factOf(pod, incoming *v1.Pod) oracleFact {
	fact := oracleFact{
		UID:          string(pod.UID),
		QOSClass:     v1qos.GetPodQOS(pod),
		Critical:     kubetypes.IsCriticalPod(pod),
		NodeCritical: kubetypes.IsNodeCriticalPod(pod),
		Static:       kubetypes.IsStaticPod(pod),
		Mirror:       kubetypes.IsMirrorPod(pod),
		Preemptable:  incoming != nil && kubetypes.Preemptable(incoming, pod),
		VictimAmount: map[string]int64{},
		FitAmount:    map[string]int64{},
	}
	requested := schedulerframework.NewNodeInfo(pod).Requested
	fact.FitAmount["cpu"] = requested.MilliCPU
	fact.FitAmount["memory"] = requested.Memory
	fact.FitAmount["ephemeral-storage"] = requested.EphemeralStorage
	for name, amount := range requested.ScalarResources {
		fact.FitAmount[string(name)] = amount
	}
	for name := range fact.FitAmount {
		fact.VictimAmount[name] = resource.GetResourceRequest(pod, v1.ResourceName(name))
	}
	fact.VictimAmount["pods"] = resource.GetResourceRequest(pod, v1.ResourcePods)
	return fact
}

func (answer *oracleAnswer) choose(given *oracleCase, needs []oracleNeed) {
	requirements := admissionRequirementList{}
	for _, need := range needs {
		requirements = append(requirements, &admissionRequirement{v1.ResourceName(need.Resource), need.Quantity})
	}
	victims, err := getPodsToPreempt(given.incoming, given.active(), requirements)
	for _, pod := range victims {
		answer.Victims = append(answer.Victims, oracleVictim{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)})
	}
	if err != nil {
		answer.Error = err.Error()
	}
}

func (answer *oracleAnswer) handle(given *oracleCase, line oracleLine) {
	reasons := []lifecycle.PredicateFailureReason{}
	for _, r := range line.Reasons {
		if r.Resource == "" {
			reasons = append(reasons, &lifecycle.PredicateFailureError{PredicateName: r.Predicate, PredicateDesc: r.Message})
			continue
		}
		name := v1.ResourceName(r.Resource)
		reasons = append(reasons, &lifecycle.InsufficientResourceError{ResourceName: name, Requested: r.Requested, Used: r.Used, Capacity: r.Capacity})
	}
	handler := answer.handler(given, line.KillFails)
	remaining, err := handler.HandleAdmissionFailure(context.Background(), given.incoming, reasons)
	answer.Failures, answer.Remaining = told(reasons), told(remaining)
	answer.settle(len(remaining) == 0 && err == nil)
	if err != nil {
		answer.Error = err.Error()
	}
}

func (answer *oracleAnswer) admit(given *oracleCase, line oracleLine) {
	getNode := func(context.Context, bool) (*v1.Node, error) {
		if given.node == nil {
			return nil, errors.New("no node")
		}
		return given.node, nil
	}
	noPlugins := func(*schedulerframework.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil }
	handler := &orderedHandler{inner: answer.handler(given, line.KillFails), answer: answer}
	result := lifecycle.NewPredicateAdmitHandler(getNode, handler, noPlugins).
		Admit(&lifecycle.PodAdmitAttributes{Pod: given.incoming, OtherPods: given.active()})
	answer.Reason, answer.Message = result.Reason, result.Message
	answer.settle(result.Admit)
}

func (answer *oracleAnswer) settle(admitted bool) {
	switch {
	case !admitted:
		answer.State = "rejected"
	case len(answer.Victims) > 0:
		answer.State = "preempting"
	default:
		answer.State = "admitted"
	}
}

// handler is upstream's own, with kills and events that end in the answer.
func (answer *oracleAnswer) handler(given *oracleCase, killFails []string) *CriticalPodAdmissionHandler {
	survives := map[string]bool{}
	for _, uid := range killFails {
		survives[uid] = true
	}
	kill := func(pod *v1.Pod, evict bool, gracePeriodOverride *int64, change func(*v1.PodStatus)) error {
		if !evict || gracePeriodOverride != nil {
			panic("upstream asks for another kind of kill than this oracle knows")
		}
		status := pod.Status.DeepCopy()
		change(status)
		for i := range status.Conditions {
			status.Conditions[i].LastTransitionTime = metav1.Time{}
		}
		answer.Victims = append(answer.Victims, oracleVictim{pod.Namespace, pod.Name, string(pod.UID), status})
		if survives[string(pod.UID)] {
			return errors.New("timeout waiting to kill pod")
		}
		answer.Killed = append(answer.Killed, string(pod.UID))
		return nil
	}
	return NewCriticalPodAdmissionHandler(given.active, kill, oracleRecorder{answer})
}

// orderedHandler hands the reasons on in the order that farloop fixes: behind pods, cpu, memory and ephemeral-storage upstream
// ranges over a map, so those are sorted by name here. Predicate failures come last, in upstream's order.
type orderedHandler struct {
	inner  *CriticalPodAdmissionHandler
	answer *oracleAnswer
}

func (o *orderedHandler) HandleAdmissionFailure(ctx context.Context, pod *v1.Pod, reasons []lifecycle.PredicateFailureReason) ([]lifecycle.PredicateFailureReason, error) {
	sort.SliceStable(reasons, func(i, j int) bool {
		one, oneName := placeOf(reasons[i])
		other, otherName := placeOf(reasons[j])
		return one < other || one == other && oneName < otherName
	})
	o.answer.Failures = told(reasons)
	remaining, err := o.inner.HandleAdmissionFailure(ctx, pod, reasons)
	o.answer.Remaining = told(remaining)
	return remaining, err
}

func placeOf(reason lifecycle.PredicateFailureReason) (int, string) {
	insufficient, ok := reason.(*lifecycle.InsufficientResourceError)
	if !ok {
		return 2, ""
	}
	switch insufficient.ResourceName {
	case v1.ResourcePods, v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage:
		return 0, ""
	}
	return 1, string(insufficient.ResourceName)
}

func told(reasons []lifecycle.PredicateFailureReason) []oracleReason {
	out := []oracleReason{}
	for _, reason := range reasons {
		switch r := reason.(type) {
		case *lifecycle.InsufficientResourceError:
			out = append(out, oracleReason{Resource: string(r.ResourceName), Requested: r.Requested, Used: r.Used, Capacity: r.Capacity})
		case *lifecycle.PredicateFailureError:
			out = append(out, oracleReason{Predicate: r.PredicateName, Message: r.PredicateDesc})
		default:
			panic("upstream gives a kind of reason that this oracle does not know: " + reason.GetReason())
		}
	}
	return out
}

type oracleRecorder struct{ answer *oracleAnswer }

var _ record.EventRecorder = oracleRecorder{}

func (o oracleRecorder) Event(object runtime.Object, eventType, reason, message string) {
	pod := object.(*v1.Pod)
	o.answer.Events = append(o.answer.Events, oracleEvent{eventType, reason, message, string(pod.UID)})
}

func (o oracleRecorder) Eventf(object runtime.Object, eventType, reason, format string, args ...interface{}) {
	o.Event(object, eventType, reason, fmt.Sprintf(format, args...))
}

func (o oracleRecorder) AnnotatedEventf(object runtime.Object, _ map[string]string, eventType, reason, format string, args ...interface{}) {
	o.Eventf(object, eventType, reason, format, args...)
}

func (o oracleRecorder) WithLogger(klog.Logger) record.EventRecorderLogger { return nil }
