// Where the definitions that churn.ts makes are, and their objects.
export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const definitionPath = (name: string): string => `${definitions}/${name}.example.com`;
export const objectsPath = (name: string): string => `/apis/example.com/v1/namespaces/default/${name}`;
