import { clientOf } from '../../../contracts/api-server/opened-client.ts';
import { openSandboxServer } from '../../../contracts/api-server/sandbox-server.ts';
import { trainingAdmissionContract } from '../../../contracts/training/admission.ts';

trainingAdmissionContract(clientOf(openSandboxServer));
