// The policy of every queue. Within the account, rights come from roles; callers that have them must still use TLS.

export const OVER_TLS_ONLY = {
  Version: '2012-10-17',
  Statement: [
    {
      Sid: 'OverTlsOnly',
      Effect: 'Deny',
      Principal: '*',
      Action: 'sqs:*',
      Resource: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    },
  ],
} as const;
