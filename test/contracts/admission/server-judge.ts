// A real API server as a judge.
import type { Job, Pod } from '../../../lib/objects/kubernetes.ts';
import type { ApiClient } from '../api-server/client.ts';
import type { Answer, Judge } from './judge.ts';

const nameOf = ({ metadata }: Job | Pod): string => metadata.name ?? '';

export function serverJudge(api: ApiClient): Judge {
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const pods = '/api/v1/namespaces/default/pods';
  const send = async <T extends Job | Pod>(method: 'POST' | 'PUT', path: string, object: T): Promise<Answer<T>> => {
    const { status, body } = await api.send(method, path, object);
    if (status < 300) {
      // The server answers with an object of the kind that it was sent.
      const stored: T = JSON.parse(JSON.stringify(body));
      return { code: status, object: stored, causes: [] };
    }
    if (status !== 422) throw new Error(`${method} ${path} answered ${status}: ${body.message ?? ''}`);
    const causes = body.details?.causes ?? [];
    return {
      code: status,
      object,
      causes: causes.map(({ reason = '', field = '', message = '' }) => ({ reason, field, message })),
    };
  };
  return {
    createJob: (job) => send('POST', jobs, job),
    replaceJob: (job) => send('PUT', `${jobs}/${nameOf(job)}`, job),
    replaceJobStatus: (job) => send('PUT', `${jobs}/${nameOf(job)}/status`, job),
    createPod: (pod) => send('POST', pods, pod),
    replacePod: (pod) => send('PUT', `${pods}/${nameOf(pod)}`, pod),
    replacePodStatus: (pod) => send('PUT', `${pods}/${nameOf(pod)}/status`, pod),
  };
}
