// Which texts a field takes, and what it means when it is left out: for `kubectl explain`, and for lists whose keys have defaults.
// Admission has rules of its own.

export interface FieldValues {
  oneOf?: readonly string[];
  default?: string | number | boolean;
  /** Must be given: it has no default, not even an empty one. */
  isGiven?: boolean;
  /** 0 and false are the same as nothing, and left out. */
  omitsZero?: boolean;
  /** A strategic merge patch replaces it. */
  isReplaced?: boolean;
  /** A strategic patch of it says which of its fields stay. */
  retainsKeys?: boolean;
}

const words = (text: string): string[] => text.trim().split(/\s+/);

const signals = words(`
  SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF
  SIGPWR SIGQUIT SIGRTMAX SIGRTMAX-1 SIGRTMAX-10 SIGRTMAX-11 SIGRTMAX-12 SIGRTMAX-13 SIGRTMAX-14 SIGRTMAX-2 SIGRTMAX-3
  SIGRTMAX-4 SIGRTMAX-5 SIGRTMAX-6 SIGRTMAX-7 SIGRTMAX-8 SIGRTMAX-9 SIGRTMIN SIGRTMIN+1 SIGRTMIN+10 SIGRTMIN+11
  SIGRTMIN+12 SIGRTMIN+13 SIGRTMIN+14 SIGRTMIN+15 SIGRTMIN+2 SIGRTMIN+3 SIGRTMIN+4 SIGRTMIN+5 SIGRTMIN+6 SIGRTMIN+7
  SIGRTMIN+8 SIGRTMIN+9 SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2
  SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ`);

/** By type and field. */
export const fieldValues: Readonly<Record<string, FieldValues>> = {
  'AppArmorProfile.type': { oneOf: words('Localhost RuntimeDefault Unconfined') },
  'AzureDiskVolumeSource.cachingMode': { oneOf: words('None ReadOnly ReadWrite'), default: 'ReadWrite' },
  'AzureDiskVolumeSource.fsType': { default: 'ext4' },
  'AzureDiskVolumeSource.kind': { oneOf: words('Dedicated Managed Shared'), default: 'Shared' },
  'AzureDiskVolumeSource.readOnly': { default: false },
  'ConfigMapEnvSource.name': { default: '' },
  'ConfigMapKeySelector.name': { default: '' },
  'ConfigMapProjection.name': { default: '' },
  'ConfigMapVolumeSource.name': { default: '' },
  'Container.imagePullPolicy': { oneOf: words('Always IfNotPresent Never') },
  'Container.terminationMessagePolicy': { oneOf: words('FallbackToLogsOnError File') },
  'ContainerPort.protocol': { oneOf: words('SCTP TCP UDP'), default: 'TCP' },
  'ContainerRestartRule.action': { isGiven: true },
  'ContainerRestartRuleOnExitCodes.operator': { isGiven: true },
  'ContainerStatus.stopSignal': { oneOf: signals },
  'DeploymentSpec.minReadySeconds': { omitsZero: true },
  'DeploymentSpec.paused': { omitsZero: true },
  'DeploymentSpec.strategy': { retainsKeys: true },
  'DeploymentStatus.availableReplicas': { omitsZero: true },
  'DeploymentStatus.observedGeneration': { omitsZero: true },
  'DeploymentStatus.readyReplicas': { omitsZero: true },
  'DeploymentStatus.replicas': { omitsZero: true },
  'DeploymentStatus.unavailableReplicas': { omitsZero: true },
  'DeploymentStatus.updatedReplicas': { omitsZero: true },
  'DeploymentStrategy.type': { oneOf: words('Recreate RollingUpdate') },
  'EphemeralContainer.imagePullPolicy': { oneOf: words('Always IfNotPresent Never') },
  'EphemeralContainer.terminationMessagePolicy': { oneOf: words('FallbackToLogsOnError File') },
  'FileKeySelector.optional': { default: false },
  'GRPCAction.service': { default: '' },
  'HTTPGetAction.scheme': { oneOf: words('HTTP HTTPS') },
  'HostPathVolumeSource.type': { oneOf: ['', ...words('BlockDevice CharDevice Directory DirectoryOrCreate File FileOrCreate Socket')] },
  'ISCSIVolumeSource.iscsiInterface': { default: 'default' },
  'ImageVolumeSource.pullPolicy': { oneOf: words('Always IfNotPresent Never') },
  'ImageVolumeStatus.imageRef': { isGiven: true },
  'JobSpec.completionMode': { oneOf: words('Indexed NonIndexed') },
  'JobSpec.podReplacementPolicy': { oneOf: words('Failed TerminatingOrFailed') },
  'Lifecycle.stopSignal': { oneOf: signals },
  'LocalObjectReference.name': { default: '' },
  'NamespaceStatus.phase': { oneOf: words('Active Terminating') },
  'NetworkPolicySpec.policyTypes': { oneOf: words('Egress Ingress') },
  'NodeRuntimeHandler.name': { default: '' },
  'NodeSelectorRequirement.operator': { oneOf: words('DoesNotExist Exists Gt In Lt NotIn') },
  'NodeStatus.phase': { oneOf: words('Pending Running Terminated') },
  'PersistentVolumeClaimSpec.accessModes': { oneOf: words('ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod') },
  'ModifyVolumeStatus.status': { oneOf: words('InProgress Infeasible Pending') },
  'PersistentVolumeClaimStatus.accessModes': { oneOf: words('ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod') },
  'PersistentVolumeClaimStatus.allocatedResourceStatuses': {
    oneOf: words('ControllerResizeInProgress ControllerResizeInfeasible NodeResizeInProgress NodeResizeInfeasible NodeResizePending'),
  },
  'PersistentVolumeClaimStatus.phase': { oneOf: words('Bound Lost Pending') },
  'PersistentVolumeClaimSpec.volumeMode': { oneOf: words('Block Filesystem') },
  'PodCertificateProjection.keyType': { isGiven: true },
  'PodCertificateProjection.signerName': { isGiven: true },
  'PodDisruptionBudgetSpec.selector': { isReplaced: true },
  'PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy': { oneOf: words('AlwaysAllow IfHealthyBudget') },
  'PodFailurePolicyOnExitCodesRequirement.operator': { oneOf: words('In NotIn') },
  'PodFailurePolicyOnPodConditionsPattern.status': { default: '' },
  'PodFailurePolicyRule.action': { oneOf: words('Count FailIndex FailJob Ignore') },
  'PodSecurityContext.fsGroupChangePolicy': { oneOf: words('Always OnRootMismatch') },
  'PodSecurityContext.supplementalGroupsPolicy': { oneOf: words('Merge Strict') },
  'PodSpec.dnsPolicy': { oneOf: words('ClusterFirst ClusterFirstWithHostNet Default None') },
  'PodSpec.preemptionPolicy': { oneOf: words('Never PreemptLowerPriority') },
  'PodSpec.restartPolicy': { oneOf: words('Always Never OnFailure') },
  'PodStatus.phase': { oneOf: words('Failed Pending Running Succeeded Unknown') },
  'PodStatus.qosClass': { oneOf: words('BestEffort Burstable Guaranteed') },
  'PortStatus.protocol': { oneOf: words('SCTP TCP UDP') },
  'RBDVolumeSource.keyring': { default: '/etc/ceph/keyring' },
  'RBDVolumeSource.pool': { default: 'rbd' },
  'RBDVolumeSource.user': { default: 'admin' },
  'ScaleIOVolumeSource.fsType': { default: 'xfs' },
  'ScaleIOVolumeSource.storageMode': { default: 'ThinProvisioned' },
  'SeccompProfile.type': { oneOf: words('Localhost RuntimeDefault Unconfined') },
  'SecretEnvSource.name': { default: '' },
  'SecretKeySelector.name': { default: '' },
  'SecretProjection.name': { default: '' },
  'SecurityContext.procMount': { oneOf: words('Default Unmasked') },
  'ServicePort.protocol': { oneOf: words('SCTP TCP UDP'), default: 'TCP' },
  'ServiceSpec.externalTrafficPolicy': { oneOf: words('Cluster Local') },
  'ServiceSpec.internalTrafficPolicy': { oneOf: words('Cluster Local') },
  'ServiceSpec.ipFamilies': { oneOf: ['', ...words('IPv4 IPv6')] },
  'ServiceSpec.ipFamilyPolicy': { oneOf: words('PreferDualStack RequireDualStack SingleStack') },
  'ServiceSpec.sessionAffinity': { oneOf: words('ClientIP None') },
  'ServiceSpec.type': { oneOf: words('ClusterIP ExternalName LoadBalancer NodePort') },
  'Taint.effect': { oneOf: words('NoExecute NoSchedule PreferNoSchedule') },
  'TokenReviewSpec.token': { isGiven: true },
  'Toleration.effect': { oneOf: words('NoExecute NoSchedule PreferNoSchedule') },
  'Toleration.operator': { oneOf: words('Equal Exists Gt Lt') },
  'TopologySpreadConstraint.nodeAffinityPolicy': { oneOf: words('Honor Ignore') },
  'TopologySpreadConstraint.nodeTaintsPolicy': { oneOf: words('Honor Ignore') },
  'TopologySpreadConstraint.whenUnsatisfiable': { oneOf: words('DoNotSchedule ScheduleAnyway') },
  'VolumeMount.mountPropagation': { oneOf: words('Bidirectional HostToContainer None') },
};
