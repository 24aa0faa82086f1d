// Every framework.
import type { PlannedFramework } from '../engine/situation.ts';
import { jax } from './jax.ts';
import { mpi } from './mpi.ts';
import { mxnet } from './mxnet.ts';
import { paddle } from './paddle.ts';
import { pytorch } from './pytorch.ts';
import { tensorflow } from './tensorflow.ts';
import { xgboost } from './xgboost.ts';

export const FRAMEWORKS: readonly PlannedFramework[] = [tensorflow, pytorch, mpi, xgboost, paddle, mxnet, jax];
