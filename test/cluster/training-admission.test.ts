// A real kube-apiserver decides whether the definitions and policies of training jobs are right.
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { trainingAdmissionContract } from '../contracts/training/admission.ts';
import { openReferenceServer } from './reference-server.ts';

trainingAdmissionContract(clientOf(openReferenceServer));
