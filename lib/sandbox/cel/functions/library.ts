// All functions that expressions may call: those of the language, its extensions and Kubernetes' own.
import { conversions } from './conversions.ts';
import { declared } from './declare.ts';
import type { Declarations } from './declare.ts';
import { kubernetes } from './kubernetes.ts';
import { lists } from './lists.ts';
import { addressesAndLocators } from './network.ts';
import { operators } from './operators.ts';
import { strings } from './strings.ts';
import { timeParts } from './time.ts';

export const library: Declarations = declared([
  ...operators,
  ...conversions,
  ...timeParts,
  ...strings,
  ...lists,
  ...addressesAndLocators,
  ...kubernetes,
]);
