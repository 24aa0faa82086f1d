// Pods: placement, policies and status. Notation: notation.ts.

export const podTypes = {
  Pod: 'apiVersion:s kind:s metadata:ObjectMeta spec:PodSpec status:PodStatus',
  PodSpec: `
    activeDeadlineSeconds:l affinity:Affinity automountServiceAccountToken:b containers*:Container[name] dnsConfig:PodDNSConfig
    dnsPolicy:s enableServiceLinks:b ephemeralContainers:EphemeralContainer[name] hostAliases:HostAlias[ip] hostIPC:b hostNetwork:b
    hostPID:b hostUsers:b hostname:s hostnameOverride:s imagePullSecrets:LocalObjectReference[name] initContainers:Container[name]
    nodeName:s nodeSelector:{s}~ os:PodOS overhead:{q} preemptionPolicy:s priority:i priorityClassName:s
    readinessGates:PodReadinessGate[] resourceClaims:PodResourceClaim[name!] resources:ResourceRequirements restartPolicy:s
    runtimeClassName:s schedulerName:s schedulingGates:PodSchedulingGate[name] schedulingGroup:PodSchedulingGroup
    securityContext:PodSecurityContext serviceAccount:s serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s
    terminationGracePeriodSeconds:l tolerations:Toleration[]
    topologySpreadConstraints:TopologySpreadConstraint[topologyKey|topologyKey,whenUnsatisfiable] volumes:Volume[name!]`,
  Affinity: 'nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity',
  NodeAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm[]
    requiredDuringSchedulingIgnoredDuringExecution:NodeSelector~`,
  PreferredSchedulingTerm: 'preference*:NodeSelectorTerm~ weight*:i',
  NodeSelectorTerm: 'matchExpressions:NodeSelectorRequirement[] matchFields:NodeSelectorRequirement[]',
  NodeSelectorRequirement: 'key*:s operator*:s values:s[]',
  NodeSelector: 'nodeSelectorTerms*:NodeSelectorTerm[]',
  PodAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
    requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]`,
  WeightedPodAffinityTerm: 'podAffinityTerm*:PodAffinityTerm weight*:i',
  PodAffinityTerm: `
    labelSelector:LabelSelector~ matchLabelKeys:s[] mismatchLabelKeys:s[] namespaceSelector:LabelSelector~ namespaces:s[]
    topologyKey*:s`,
  PodAntiAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
    requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]`,
  PodDNSConfig: 'nameservers:s[] options:PodDNSConfigOption[] searches:s[]',
  PodDNSConfigOption: 'name:s value:s',
  HostAlias: 'hostnames:s[] ip*:s',
  PodOS: 'name*:s',
  PodReadinessGate: 'conditionType*:s',
  PodResourceClaim: 'name*:s resourceClaimName:s resourceClaimTemplateName:s',
  PodSchedulingGate: 'name*:s',
  PodSchedulingGroup: 'podGroupName:s',
  PodSecurityContext: `
    appArmorProfile:AppArmorProfile fsGroup:l fsGroupChangePolicy:s runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxChangePolicy:s
    seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups:l[] supplementalGroupsPolicy:s sysctls:Sysctl[]
    windowsOptions:WindowsSecurityContextOptions`,
  Sysctl: 'name*:s value*:s',
  Toleration: 'effect:s key:s operator:s tolerationSeconds:l value:s',
  TopologySpreadConstraint: `
    labelSelector:LabelSelector~ matchLabelKeys:s[] maxSkew*:i minDomains:i nodeAffinityPolicy:s nodeTaintsPolicy:s topologyKey*:s
    whenUnsatisfiable*:s`,
  PodStatus: `
    allocatedResources:{q} conditions:PodCondition[type] containerStatuses:ContainerStatus[]
    ephemeralContainerStatuses:ContainerStatus[] extendedResourceClaimStatus:PodExtendedResourceClaimStatus hostIP:s
    hostIPs:HostIP[ip|] initContainerStatuses:ContainerStatus[] message:s
    nodeAllocatableResourceClaimStatuses:NodeAllocatableResourceClaimStatus[] nominatedNodeName:s observedGeneration:l phase:s podIP:s
    podIPs:PodIP[ip] qosClass:s reason:s resize:s resourceClaimStatuses:PodResourceClaimStatus[name!] resources:ResourceRequirements
    startTime:t`,
  PodCondition: 'lastProbeTime:t lastTransitionTime:t message:s observedGeneration:l reason:s status*:s type*:s',
  ContainerStatus: `
    allocatedResources:{q} allocatedResourcesStatus:ResourceStatus[name] containerID:s image*:s imageID*:s lastState:ContainerState
    name*:s ready*:b resources:ResourceRequirements restartCount*:i started:b state:ContainerState stopSignal:s user:ContainerUser
    volumeMounts:VolumeMountStatus[mountPath]`,
  ResourceStatus: 'name*:s resources:ResourceHealth[|resourceID]',
  ResourceHealth: 'health:s message:s resourceID*:s',
  ContainerState: 'running:ContainerStateRunning terminated:ContainerStateTerminated waiting:ContainerStateWaiting',
  ContainerStateRunning: 'startedAt:t',
  ContainerStateTerminated: 'containerID:s exitCode*:i finishedAt:t message:s reason:s signal:i startedAt:t',
  ContainerStateWaiting: 'message:s reason:s',
  ContainerUser: 'linux:LinuxContainerUser',
  LinuxContainerUser: 'gid*:l supplementalGroups:l[] uid*:l',
  VolumeMountStatus: 'mountPath*:s name*:s readOnly:b recursiveReadOnly:s volumeStatus:VolumeStatus',
  VolumeStatus: 'image:ImageVolumeStatus',
  ImageVolumeStatus: 'imageRef*:s',
  PodExtendedResourceClaimStatus: 'requestMappings*:ContainerExtendedResourceRequest[] resourceClaimName*:s',
  ContainerExtendedResourceRequest: 'containerName*:s requestName*:s resourceName*:s',
  HostIP: 'ip*:s',
  NodeAllocatableResourceClaimStatus: 'containers:s[|=] resourceClaimName*:s resources*:{q}',
  PodIP: 'ip*:s',
  PodResourceClaimStatus: 'name*:s resourceClaimName:s',
} as const;
