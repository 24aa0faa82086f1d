// Pods: placement, policies and status. Notation: notation.ts.

export const podTypes = {
  Pod: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:PodSpec^ status@3:PodStatus^',
  PodSpec: `
    activeDeadlineSeconds@5:l affinity@18:Affinity automountServiceAccountToken@21:b containers*@2:Container[name]
    dnsConfig@26:PodDNSConfig dnsPolicy@6:s enableServiceLinks@30:b ephemeralContainers@34:EphemeralContainer[name]
    hostAliases@23:HostAlias[ip] hostIPC@13:b hostNetwork@11:b hostPID@12:b hostUsers@37:b hostname@16:s hostnameOverride@41:s
    imagePullSecrets@15:LocalObjectReference[name] initContainers@20:Container[name] nodeName@10:s nodeSelector@7:{s}~ os@36:PodOS
    overhead@32:{q} preemptionPolicy@31:s priority@25:i priorityClassName@24:s readinessGates@28:PodReadinessGate[]
    resourceClaims@39:PodResourceClaim[name!] resources@40:ResourceRequirements restartPolicy@3:s runtimeClassName@29:s
    schedulerName@19:s schedulingGates@38:PodSchedulingGate[name] schedulingGroup@43:PodSchedulingGroup
    securityContext@14:PodSecurityContext serviceAccount@9:s serviceAccountName@8:s setHostnameAsFQDN@35:b shareProcessNamespace@27:b
    subdomain@17:s terminationGracePeriodSeconds@4:l tolerations@22:Toleration[]
    topologySpreadConstraints@33:TopologySpreadConstraint[topologyKey|topologyKey,whenUnsatisfiable] volumes@1:Volume[name!]`,
  Affinity: 'nodeAffinity@1:NodeAffinity podAffinity@2:PodAffinity podAntiAffinity@3:PodAntiAffinity',
  NodeAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution@2:PreferredSchedulingTerm[]
    requiredDuringSchedulingIgnoredDuringExecution@1:NodeSelector~`,
  PreferredSchedulingTerm: 'preference*@2:NodeSelectorTerm~^ weight*@1:i',
  NodeSelectorTerm: 'matchExpressions@1:NodeSelectorRequirement[] matchFields@2:NodeSelectorRequirement[]',
  NodeSelectorRequirement: 'key*@1:s operator*@2:s values@3:s[]',
  NodeSelector: 'nodeSelectorTerms*@1:NodeSelectorTerm[]',
  PodAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution@2:WeightedPodAffinityTerm[]
    requiredDuringSchedulingIgnoredDuringExecution@1:PodAffinityTerm[]`,
  WeightedPodAffinityTerm: 'podAffinityTerm*@2:PodAffinityTerm^ weight*@1:i',
  PodAffinityTerm: `
    labelSelector@1:LabelSelector~ matchLabelKeys@5:s[] mismatchLabelKeys@6:s[] namespaceSelector@4:LabelSelector~ namespaces@2:s[]
    topologyKey*@3:s`,
  PodAntiAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution@2:WeightedPodAffinityTerm[]
    requiredDuringSchedulingIgnoredDuringExecution@1:PodAffinityTerm[]`,
  PodDNSConfig: 'nameservers@1:s[] options@3:PodDNSConfigOption[] searches@2:s[]',
  PodDNSConfigOption: 'name@1:s value@2:s',
  HostAlias: 'hostnames@2:s[] ip*@1:s',
  PodOS: 'name*@1:s',
  PodReadinessGate: 'conditionType*@1:s',
  PodResourceClaim: 'name*@1:s resourceClaimName@3:s resourceClaimTemplateName@4:s',
  PodSchedulingGate: 'name*@1:s',
  PodSchedulingGroup: 'podGroupName@1:s',
  PodSecurityContext: `
    appArmorProfile@11:AppArmorProfile fsGroup@5:l fsGroupChangePolicy@9:s runAsGroup@6:l runAsNonRoot@3:b runAsUser@2:l
    seLinuxChangePolicy@13:s seLinuxOptions@1:SELinuxOptions seccompProfile@10:SeccompProfile supplementalGroups@4:l[]
    supplementalGroupsPolicy@12:s sysctls@7:Sysctl[] windowsOptions@8:WindowsSecurityContextOptions`,
  Sysctl: 'name*@1:s value*@2:s',
  Toleration: 'effect@4:s key@1:s operator@2:s tolerationSeconds@5:l value@3:s',
  TopologySpreadConstraint: `
    labelSelector@4:LabelSelector~ matchLabelKeys@8:s[] maxSkew*@1:i minDomains@5:i nodeAffinityPolicy@6:s nodeTaintsPolicy@7:s
    topologyKey*@2:s whenUnsatisfiable*@3:s`,
  PodStatus: `
    allocatedResources@19:{q} conditions@2:PodCondition[type] containerStatuses@8:ContainerStatus[]
    ephemeralContainerStatuses@13:ContainerStatus[] extendedResourceClaimStatus@18:PodExtendedResourceClaimStatus hostIP@5:s
    hostIPs@16:HostIP[ip|] initContainerStatuses@10:ContainerStatus[] message@3:s
    nodeAllocatableResourceClaimStatuses@21:NodeAllocatableResourceClaimStatus[] nominatedNodeName@11:s observedGeneration@17:l
    phase@1:s podIP@6:s podIPs@12:PodIP[ip] qosClass@9:s reason@4:s resize@14:s resourceClaimStatuses@15:PodResourceClaimStatus[name!]
    resources@20:ResourceRequirements startTime@7:t`,
  PodCondition: 'lastProbeTime@3:t^ lastTransitionTime@4:t^ message@6:s observedGeneration@7:l reason@5:s status*@2:s type*@1:s',
  ContainerStatus: `
    allocatedResources@10:{q} allocatedResourcesStatus@14:ResourceStatus[name] containerID@8:s image*@6:s imageID*@7:s
    lastState@3:ContainerState^ name*@1:s ready*@4:b resources@11:ResourceRequirements restartCount*@5:i started@9:b
    state@2:ContainerState^ stopSignal@15:s user@13:ContainerUser volumeMounts@12:VolumeMountStatus[mountPath]`,
  ResourceStatus: 'name*@1:s resources@2:ResourceHealth[|resourceID]',
  ResourceHealth: 'health@2:s message@6:s resourceID*@1:s',
  ContainerState: 'running@2:ContainerStateRunning terminated@3:ContainerStateTerminated waiting@1:ContainerStateWaiting',
  ContainerStateRunning: 'startedAt@1:t^',
  ContainerStateTerminated: 'containerID@7:s exitCode*@1:i finishedAt@6:t^ message@4:s reason@3:s signal@2:i startedAt@5:t^',
  ContainerStateWaiting: 'message@2:s reason@1:s',
  ContainerUser: 'linux@1:LinuxContainerUser',
  LinuxContainerUser: 'gid*@2:l supplementalGroups@3:l[] uid*@1:l',
  VolumeMountStatus: 'mountPath*@2:s name*@1:s readOnly@3:b recursiveReadOnly@4:s volumeStatus@5:VolumeStatus',
  VolumeStatus: 'image@1:ImageVolumeStatus',
  ImageVolumeStatus: 'imageRef*@1:s',
  PodExtendedResourceClaimStatus: 'requestMappings*@1:ContainerExtendedResourceRequest[] resourceClaimName*@2:s',
  ContainerExtendedResourceRequest: 'containerName*@1:s requestName*@3:s resourceName*@2:s',
  HostIP: 'ip*@1:s',
  NodeAllocatableResourceClaimStatus: 'containers@2:s[|=] resourceClaimName*@1:s resources*@3:{q}',
  PodIP: 'ip*@1:s',
  PodResourceClaimStatus: 'name*@1:s resourceClaimName@2:s',
} as const;
