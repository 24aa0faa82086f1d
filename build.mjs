// Bundles the command line for the published package: Node does not run TypeScript below node_modules.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { writeConsole } from './lib/files/console-bundle.ts';

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { main: 'lib/cli/main.ts', shim: 'lib/adapters/providers/local-process/shim/shim-program.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // ES modules where a package has both: of a CommonJS one a dynamic import would give nothing but its default.
  mainFields: ['module', 'main'],
  outExtension: { '.js': '.mjs' },
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'external',
  logLevel: 'warning',
  // Only kubeconfigs are read by it: its whole index would bring the typed client of every API along, 16 MB.
  alias: { '@kubernetes/client-node': './node_modules/@kubernetes/client-node/dist/config.js' },
  // Bundled CommonJS asks for `require`.
  banner: {
    js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
  },
});
await writeConsole('lib/console', 'dist/console');
