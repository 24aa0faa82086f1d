// Namespaces, nodes, services, configuration, events and leases. Notation: notation.ts.

export const clusterTypes = {
  Namespace: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:NamespaceSpec^ status@3:NamespaceStatus^',
  NamespaceSpec: 'finalizers@1:s[]',
  NamespaceStatus: 'conditions@2:NamespaceCondition[type] phase@1:s',
  NamespaceCondition: 'lastTransitionTime@4:t^ message@6:s reason@5:s status*@2:s type*@1:s',
  Node: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:NodeSpec^ status@3:NodeStatus^',
  NodeSpec: `
    configSource@6:NodeConfigSource externalID@2:s podCIDR@1:s podCIDRs@7:s[=] providerID@3:s taints@5:Taint[] unschedulable@4:b`,
  NodeConfigSource: 'configMap@2:ConfigMapNodeConfigSource',
  ConfigMapNodeConfigSource: 'kubeletConfigKey*@5:s name*@2:s namespace*@1:s resourceVersion@4:s uid@3:s',
  Taint: 'effect*@3:s key*@1:s timeAdded@4:t value@2:s',
  NodeStatus: `
    addresses@5:NodeAddress[type] allocatable@2:{q} capacity@1:{q} conditions@4:NodeCondition[type] config@11:NodeConfigStatus
    daemonEndpoints@6:NodeDaemonEndpoints^ declaredFeatures@14:s[] features@13:NodeFeatures images@8:ContainerImage[]
    nodeInfo@7:NodeSystemInfo^ phase@3:s runtimeHandlers@12:NodeRuntimeHandler[] volumesAttached@10:AttachedVolume[] volumesInUse@9:s[]`,
  NodeAddress: 'address*@2:s type*@1:s',
  NodeCondition: 'lastHeartbeatTime@3:t^ lastTransitionTime@4:t^ message@6:s reason@5:s status*@2:s type*@1:s',
  NodeConfigStatus: 'active@2:NodeConfigSource assigned@1:NodeConfigSource error@4:s lastKnownGood@3:NodeConfigSource',
  NodeDaemonEndpoints: 'kubeletEndpoint@1:DaemonEndpoint^',
  DaemonEndpoint: 'Port*@1:i',
  NodeFeatures: 'supplementalGroupsPolicy@1:b',
  ContainerImage: 'names@1:s[] sizeBytes@2:l',
  NodeSystemInfo: `
    architecture*@10:s bootID*@3:s containerRuntimeVersion*@6:s kernelVersion*@4:s kubeProxyVersion*@8:s kubeletVersion*@7:s
    machineID*@1:s operatingSystem*@9:s osImage*@5:s swap@11:NodeSwapStatus systemUUID*@2:s`,
  NodeSwapStatus: 'capacity@1:l',
  NodeRuntimeHandler: 'features@2:NodeRuntimeHandlerFeatures name@1:s',
  NodeRuntimeHandlerFeatures: 'recursiveReadOnlyMounts@1:b userNamespaces@2:b',
  AttachedVolume: 'devicePath*@2:s name*@1:s',
  Service: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:ServiceSpec^ status@3:ServiceStatus^',
  ServiceSpec: `
    allocateLoadBalancerNodePorts@20:b clusterIP@3:s clusterIPs@18:s[] externalIPs@5:s[] externalName@10:s externalTrafficPolicy@11:s
    healthCheckNodePort@12:i internalTrafficPolicy@22:s ipFamilies@19:s[] ipFamilyPolicy@17:s loadBalancerClass@21:s
    loadBalancerIP@8:s loadBalancerSourceRanges@9:s[] ports@1:ServicePort[port|port,protocol] publishNotReadyAddresses@13:b
    selector@2:{s}~ sessionAffinity@7:s sessionAffinityConfig@14:SessionAffinityConfig trafficDistribution@23:s type@4:s`,
  ServicePort: 'appProtocol@6:s name@1:s nodePort@5:i port*@3:i protocol@2:s targetPort@4:x',
  SessionAffinityConfig: 'clientIP@1:ClientIPConfig',
  ClientIPConfig: 'timeoutSeconds@1:i',
  ServiceStatus: 'conditions@2:Condition[type] loadBalancer@1:LoadBalancerStatus^',
  Condition: 'lastTransitionTime*@4:t message*@6:s observedGeneration@3:l reason*@5:s status*@2:s type*@1:s',
  LoadBalancerStatus: 'ingress@1:LoadBalancerIngress[]',
  LoadBalancerIngress: 'hostname@2:s ip@1:s ipMode@3:s ports@4:PortStatus[]',
  PortStatus: 'error@3:s port*@1:i protocol*@2:s',
  ConfigMap: 'apiVersion:s binaryData@3:{y} data@2:{s} immutable@4:b kind:s metadata@1:ObjectMeta^',
  Secret: 'apiVersion:s data@2:{y} immutable@5:b kind:s metadata@1:ObjectMeta^ stringData@4:{s} type@3:s',
  ServiceAccount: `
    apiVersion:s automountServiceAccountToken@4:b imagePullSecrets@3:LocalObjectReference[] kind:s metadata@1:ObjectMeta^
    secrets@2:ObjectReference[name]`,
  Event: `
    action@12:s apiVersion:s count@8:i eventTime@10:m^ firstTimestamp@6:t^ involvedObject*@2:ObjectReference~^ kind:s lastTimestamp@7:t^
    message@4:s metadata*@1:ObjectMeta^ reason@3:s related@13:ObjectReference~ reportingComponent@14:s^ reportingInstance@15:s^
    series@11:EventSeries source@5:EventSource^ type@9:s`,
  EventSeries: 'count@1:i lastObservedTime@2:m',
  EventSource: 'component@1:s host@2:s',
  EventsEvent: `
    action@6:s apiVersion:s deprecatedCount@15:i deprecatedFirstTimestamp@13:t^ deprecatedLastTimestamp@14:t^
    deprecatedSource@12:EventSource^ eventTime*@2:m^ kind:s metadata@1:ObjectMeta^ note@10:s reason@7:s regarding@8:ObjectReference~^
    related@9:ObjectReference~ reportingController@4:s reportingInstance@5:s series@3:EventsEventSeries type@11:s`,
  EventsEventSeries: 'count*@1:i lastObservedTime*@2:m',
  Lease: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:LeaseSpec^',
  LeaseSpec: `
    acquireTime@3:m holderIdentity@1:s leaseDurationSeconds@2:i leaseTransitions@5:i preferredHolder@7:s renewTime@4:m strategy@6:s`,
  Binding: 'apiVersion:s kind:s metadata@1:ObjectMeta^ target*@2:ObjectReference~^',
} as const;
