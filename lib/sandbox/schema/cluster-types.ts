// Namespaces, nodes, services, configuration, events and leases. Notation: notation.ts.

export const clusterTypes = {
  Namespace: 'apiVersion:s kind:s metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus',
  NamespaceSpec: 'finalizers:s[]',
  NamespaceStatus: 'conditions:NamespaceCondition[type] phase:s',
  NamespaceCondition: 'lastTransitionTime:t message:s reason:s status*:s type*:s',
  Node: 'apiVersion:s kind:s metadata:ObjectMeta spec:NodeSpec status:NodeStatus',
  NodeSpec: 'configSource:NodeConfigSource externalID:s podCIDR:s podCIDRs:s[=] providerID:s taints:Taint[] unschedulable:b',
  NodeConfigSource: 'configMap:ConfigMapNodeConfigSource',
  ConfigMapNodeConfigSource: 'kubeletConfigKey*:s name*:s namespace*:s resourceVersion:s uid:s',
  Taint: 'effect*:s key*:s timeAdded:t value:s',
  NodeStatus: `
    addresses:NodeAddress[type] allocatable:{q} capacity:{q} conditions:NodeCondition[type] config:NodeConfigStatus
    daemonEndpoints:NodeDaemonEndpoints declaredFeatures:s[] features:NodeFeatures images:ContainerImage[] nodeInfo:NodeSystemInfo
    phase:s runtimeHandlers:NodeRuntimeHandler[] volumesAttached:AttachedVolume[] volumesInUse:s[]`,
  NodeAddress: 'address*:s type*:s',
  NodeCondition: 'lastHeartbeatTime:t lastTransitionTime:t message:s reason:s status*:s type*:s',
  NodeConfigStatus: 'active:NodeConfigSource assigned:NodeConfigSource error:s lastKnownGood:NodeConfigSource',
  NodeDaemonEndpoints: 'kubeletEndpoint:DaemonEndpoint',
  DaemonEndpoint: 'Port*:i',
  NodeFeatures: 'supplementalGroupsPolicy:b',
  ContainerImage: 'names:s[] sizeBytes:l',
  NodeSystemInfo: `
    architecture*:s bootID*:s containerRuntimeVersion*:s kernelVersion*:s kubeProxyVersion*:s kubeletVersion*:s machineID*:s
    operatingSystem*:s osImage*:s swap:NodeSwapStatus systemUUID*:s`,
  NodeSwapStatus: 'capacity:l',
  NodeRuntimeHandler: 'features:NodeRuntimeHandlerFeatures name:s',
  NodeRuntimeHandlerFeatures: 'recursiveReadOnlyMounts:b userNamespaces:b',
  AttachedVolume: 'devicePath*:s name*:s',
  Service: 'apiVersion:s kind:s metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus',
  ServiceSpec: `
    allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:s[] externalIPs:s[] externalName:s externalTrafficPolicy:s
    healthCheckNodePort:i internalTrafficPolicy:s ipFamilies:s[] ipFamilyPolicy:s loadBalancerClass:s loadBalancerIP:s
    loadBalancerSourceRanges:s[] ports:ServicePort[port|port,protocol] publishNotReadyAddresses:b selector:{s}~ sessionAffinity:s
    sessionAffinityConfig:SessionAffinityConfig trafficDistribution:s type:s`,
  ServicePort: 'appProtocol:s name:s nodePort:i port*:i protocol:s targetPort:x',
  SessionAffinityConfig: 'clientIP:ClientIPConfig',
  ClientIPConfig: 'timeoutSeconds:i',
  ServiceStatus: 'conditions:Condition[type] loadBalancer:LoadBalancerStatus',
  Condition: 'lastTransitionTime*:t message*:s observedGeneration:l reason*:s status*:s type*:s',
  LoadBalancerStatus: 'ingress:LoadBalancerIngress[]',
  LoadBalancerIngress: 'hostname:s ip:s ipMode:s ports:PortStatus[]',
  PortStatus: 'error:s port*:i protocol*:s',
  ConfigMap: 'apiVersion:s binaryData:{y} data:{s} immutable:b kind:s metadata:ObjectMeta',
  Secret: 'apiVersion:s data:{y} immutable:b kind:s metadata:ObjectMeta stringData:{s} type:s',
  ServiceAccount: `
    apiVersion:s automountServiceAccountToken:b imagePullSecrets:LocalObjectReference[] kind:s metadata:ObjectMeta
    secrets:ObjectReference[name]`,
  Event: `
    action:s apiVersion:s count:i eventTime:m firstTimestamp:t involvedObject*:ObjectReference~ kind:s lastTimestamp:t message:s
    metadata*:ObjectMeta reason:s related:ObjectReference~ reportingComponent:s reportingInstance:s series:EventSeries
    source:EventSource type:s`,
  EventSeries: 'count:i lastObservedTime:m',
  EventSource: 'component:s host:s',
  EventsEvent: `
    action:s apiVersion:s deprecatedCount:i deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedSource:EventSource
    eventTime*:m kind:s metadata:ObjectMeta note:s reason:s regarding:ObjectReference~ related:ObjectReference~ reportingController:s
    reportingInstance:s series:EventsEventSeries type:s`,
  EventsEventSeries: 'count*:i lastObservedTime*:m',
  Lease: 'apiVersion:s kind:s metadata:ObjectMeta spec:LeaseSpec',
  LeaseSpec: 'acquireTime:m holderIdentity:s leaseDurationSeconds:i leaseTransitions:i preferredHolder:s renewTime:m strategy:s',
  Binding: 'apiVersion:s kind:s metadata:ObjectMeta target*:ObjectReference~',
} as const;
