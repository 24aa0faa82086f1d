// An event about a Job, without the reference to the Job.

export interface NewEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  evenUnanswered?: true;
}
