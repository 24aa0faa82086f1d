// An event about a Job, before it is known which Job.

export interface NewEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  evenUnanswered?: true;
}
