// Containers: what they run, probe and may do. Notation: notation.ts.

export const containerTypes = {
  Container: `
    args:s[] command:s[] env:EnvVar[name] envFrom:EnvFromSource[] image:s imagePullPolicy:s lifecycle:Lifecycle livenessProbe:Probe
    name*:s ports:ContainerPort[containerPort|containerPort,protocol] readinessProbe:Probe resizePolicy:ContainerResizePolicy[]
    resources:ResourceRequirements restartPolicy:s restartPolicyRules:ContainerRestartRule[] securityContext:SecurityContext
    startupProbe:Probe stdin:b stdinOnce:b terminationMessagePath:s terminationMessagePolicy:s tty:b
    volumeDevices:VolumeDevice[devicePath] volumeMounts:VolumeMount[mountPath] workingDir:s`,
  EnvVar: 'name*:s value:s valueFrom:EnvVarSource',
  EnvVarSource: `
    configMapKeyRef:ConfigMapKeySelector~ fieldRef:ObjectFieldSelector~ fileKeyRef:FileKeySelector~
    resourceFieldRef:ResourceFieldSelector~ secretKeyRef:SecretKeySelector~`,
  ConfigMapKeySelector: 'key*:s name:s optional:b',
  FileKeySelector: 'key*:s optional:b path*:s volumeName*:s',
  SecretKeySelector: 'key*:s name:s optional:b',
  EnvFromSource: 'configMapRef:ConfigMapEnvSource prefix:s secretRef:SecretEnvSource',
  ConfigMapEnvSource: 'name:s optional:b',
  SecretEnvSource: 'name:s optional:b',
  Lifecycle: 'postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:s',
  LifecycleHandler: 'exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction',
  ExecAction: 'command:s[]',
  HTTPGetAction: 'host:s httpHeaders:HTTPHeader[] path:s port*:x scheme:s',
  HTTPHeader: 'name*:s value*:s',
  SleepAction: 'seconds*:l',
  TCPSocketAction: 'host:s port*:x',
  Probe: `
    exec:ExecAction failureThreshold:i grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:i periodSeconds:i successThreshold:i
    tcpSocket:TCPSocketAction terminationGracePeriodSeconds:l timeoutSeconds:i`,
  GRPCAction: 'port*:i service:s',
  ContainerPort: 'containerPort*:i hostIP:s hostPort:i name:s protocol:s',
  ContainerResizePolicy: 'resourceName*:s restartPolicy*:s',
  ResourceRequirements: 'claims:ResourceClaim[|name] limits:{q} requests:{q}',
  ResourceClaim: 'name*:s request:s',
  ContainerRestartRule: 'action*:s exitCodes:ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'operator*:s values:i[|=]',
  SecurityContext: `
    allowPrivilegeEscalation:b appArmorProfile:AppArmorProfile capabilities:Capabilities privileged:b procMount:s
    readOnlyRootFilesystem:b runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile
    windowsOptions:WindowsSecurityContextOptions`,
  AppArmorProfile: 'localhostProfile:s type*:s',
  Capabilities: 'add:s[] drop:s[]',
  SELinuxOptions: 'level:s role:s type:s user:s',
  SeccompProfile: 'localhostProfile:s type*:s',
  WindowsSecurityContextOptions: 'gmsaCredentialSpec:s gmsaCredentialSpecName:s hostProcess:b runAsUserName:s',
  EphemeralContainer: `
    args:s[] command:s[] env:EnvVar[name] envFrom:EnvFromSource[] image:s imagePullPolicy:s lifecycle:Lifecycle livenessProbe:Probe
    name*:s ports:ContainerPort[containerPort|containerPort,protocol] readinessProbe:Probe resizePolicy:ContainerResizePolicy[]
    resources:ResourceRequirements restartPolicy:s restartPolicyRules:ContainerRestartRule[] securityContext:SecurityContext
    startupProbe:Probe stdin:b stdinOnce:b targetContainerName:s terminationMessagePath:s terminationMessagePolicy:s tty:b
    volumeDevices:VolumeDevice[devicePath] volumeMounts:VolumeMount[mountPath] workingDir:s`,
} as const;
