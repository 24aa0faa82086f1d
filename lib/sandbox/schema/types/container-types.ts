// Containers: what they run, probe and may do. Notation: notation.ts.

export const containerTypes = {
  Container: `
    args@4:s[] command@3:s[] env@7:EnvVar[name] envFrom@19:EnvFromSource[] image@2:s imagePullPolicy@14:s lifecycle@12:Lifecycle
    livenessProbe@10:Probe name*@1:s ports@6:ContainerPort[containerPort|containerPort,protocol] readinessProbe@11:Probe
    resizePolicy@23:ContainerResizePolicy[] resources@8:ResourceRequirements^ restartPolicy@24:s
    restartPolicyRules@25:ContainerRestartRule[] securityContext@15:SecurityContext startupProbe@22:Probe stdin@16:b stdinOnce@17:b
    terminationMessagePath@13:s terminationMessagePolicy@20:s tty@18:b volumeDevices@21:VolumeDevice[devicePath]
    volumeMounts@9:VolumeMount[mountPath] workingDir@5:s`,
  EnvVar: 'name*@1:s value@2:s valueFrom@3:EnvVarSource',
  EnvVarSource: `
    configMapKeyRef@3:ConfigMapKeySelector~ fieldRef@1:ObjectFieldSelector~ fileKeyRef@5:FileKeySelector~
    resourceFieldRef@2:ResourceFieldSelector~ secretKeyRef@4:SecretKeySelector~`,
  ConfigMapKeySelector: 'key*@2:s name@1.1:s optional@3:b',
  FileKeySelector: 'key*@3:s optional@4:b path*@2:s volumeName*@1:s',
  SecretKeySelector: 'key*@2:s name@1.1:s optional@3:b',
  EnvFromSource: 'configMapRef@2:ConfigMapEnvSource prefix@1:s secretRef@3:SecretEnvSource',
  ConfigMapEnvSource: 'name@1.1:s optional@2:b',
  SecretEnvSource: 'name@1.1:s optional@2:b',
  Lifecycle: 'postStart@1:LifecycleHandler preStop@2:LifecycleHandler stopSignal@3:s',
  LifecycleHandler: 'exec@1:ExecAction httpGet@2:HTTPGetAction sleep@4:SleepAction tcpSocket@3:TCPSocketAction',
  ExecAction: 'command@1:s[]',
  HTTPGetAction: 'host@3:s httpHeaders@5:HTTPHeader[] path@1:s port*@2:x scheme@4:s',
  HTTPHeader: 'name*@1:s value*@2:s',
  SleepAction: 'seconds*@1:l',
  TCPSocketAction: 'host@2:s port*@1:x',
  Probe: `
    exec@1.1:ExecAction failureThreshold@6:i grpc@1.4:GRPCAction httpGet@1.2:HTTPGetAction initialDelaySeconds@2:i periodSeconds@4:i
    successThreshold@5:i tcpSocket@1.3:TCPSocketAction terminationGracePeriodSeconds@7:l timeoutSeconds@3:i`,
  GRPCAction: 'port*@1:i service@2:s',
  ContainerPort: 'containerPort*@3:i hostIP@5:s hostPort@2:i name@1:s protocol@4:s',
  ContainerResizePolicy: 'resourceName*@1:s restartPolicy*@2:s',
  ResourceRequirements: 'claims@3:ResourceClaim[|name] limits@1:{q} requests@2:{q}',
  ResourceClaim: 'name*@1:s request@2:s',
  ContainerRestartRule: 'action*@1:s exitCodes@2:ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'operator*@1:s values@2:i[|=]',
  SecurityContext: `
    allowPrivilegeEscalation@7:b appArmorProfile@12:AppArmorProfile capabilities@1:Capabilities privileged@2:b procMount@9:s
    readOnlyRootFilesystem@6:b runAsGroup@8:l runAsNonRoot@5:b runAsUser@4:l seLinuxOptions@3:SELinuxOptions
    seccompProfile@11:SeccompProfile windowsOptions@10:WindowsSecurityContextOptions`,
  AppArmorProfile: 'localhostProfile@2:s type*@1:s',
  Capabilities: 'add@1:s[] drop@2:s[]',
  SELinuxOptions: 'level@4:s role@2:s type@3:s user@1:s',
  SeccompProfile: 'localhostProfile@2:s type*@1:s',
  WindowsSecurityContextOptions: 'gmsaCredentialSpec@2:s gmsaCredentialSpecName@1:s hostProcess@4:b runAsUserName@3:s',
  EphemeralContainer: `
    args@1.4:s[] command@1.3:s[] env@1.7:EnvVar[name] envFrom@1.19:EnvFromSource[] image@1.2:s imagePullPolicy@1.14:s
    lifecycle@1.12:Lifecycle livenessProbe@1.10:Probe name*@1.1:s ports@1.6:ContainerPort[containerPort|containerPort,protocol]
    readinessProbe@1.11:Probe resizePolicy@1.23:ContainerResizePolicy[] resources@1.8:ResourceRequirements^ restartPolicy@1.24:s
    restartPolicyRules@1.25:ContainerRestartRule[] securityContext@1.15:SecurityContext startupProbe@1.22:Probe stdin@1.16:b
    stdinOnce@1.17:b targetContainerName@2:s terminationMessagePath@1.13:s terminationMessagePolicy@1.20:s tty@1.18:b
    volumeDevices@1.21:VolumeDevice[devicePath] volumeMounts@1.9:VolumeMount[mountPath] workingDir@1.5:s`,
} as const;
