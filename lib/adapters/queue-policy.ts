// What every queue's policy says. Within the account, rights come from roles; whoever has them still has to speak TLS.

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
