// Volumes of pods and where they are mounted. Notation: notation.ts.

export const volumeTypes = {
  Volume: `
    awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource azureFile:AzureFileVolumeSource
    cephfs:CephFSVolumeSource cinder:CinderVolumeSource configMap:ConfigMapVolumeSource csi:CSIVolumeSource
    downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource
    flexVolume:FlexVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource
    gitRepo:GitRepoVolumeSource glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource
    iscsi:ISCSIVolumeSource name*:s nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource
    photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource projected:ProjectedVolumeSource
    quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource secret:SecretVolumeSource
    storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource`,
  AWSElasticBlockStoreVolumeSource: 'fsType:s partition:i readOnly:b volumeID*:s',
  AzureDiskVolumeSource: 'cachingMode:s diskName*:s diskURI*:s fsType:s kind:s readOnly:b',
  AzureFileVolumeSource: 'readOnly:b secretName*:s shareName*:s',
  CephFSVolumeSource: 'monitors*:s[] path:s readOnly:b secretFile:s secretRef:LocalObjectReference~ user:s',
  LocalObjectReference: 'name:s',
  CinderVolumeSource: 'fsType:s readOnly:b secretRef:LocalObjectReference~ volumeID*:s',
  ConfigMapVolumeSource: 'defaultMode:i items:KeyToPath[] name:s optional:b',
  KeyToPath: 'key*:s mode:i path*:s',
  CSIVolumeSource: 'driver*:s fsType:s nodePublishSecretRef:LocalObjectReference~ readOnly:b volumeAttributes:{s}',
  DownwardAPIVolumeSource: 'defaultMode:i items:DownwardAPIVolumeFile[]',
  DownwardAPIVolumeFile: 'fieldRef:ObjectFieldSelector~ mode:i path*:s resourceFieldRef:ResourceFieldSelector~',
  ObjectFieldSelector: 'apiVersion:s fieldPath*:s',
  ResourceFieldSelector: 'containerName:s divisor:q resource*:s',
  EmptyDirVolumeSource: 'medium:s sizeLimit:q',
  EphemeralVolumeSource: 'volumeClaimTemplate:PersistentVolumeClaimTemplate',
  PersistentVolumeClaimTemplate: 'metadata:ObjectMeta spec*:PersistentVolumeClaimSpec',
  PersistentVolumeClaimSpec: `
    accessModes:s[] dataSource:TypedLocalObjectReference~ dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements
    selector:LabelSelector~ storageClassName:s volumeAttributesClassName:s volumeMode:s volumeName:s`,
  TypedLocalObjectReference: 'apiGroup:s kind*:s name*:s',
  TypedObjectReference: 'apiGroup:s kind*:s name*:s namespace:s',
  VolumeResourceRequirements: 'limits:{q} requests:{q}',
  FCVolumeSource: 'fsType:s lun:i readOnly:b targetWWNs:s[] wwids:s[]',
  FlexVolumeSource: 'driver*:s fsType:s options:{s} readOnly:b secretRef:LocalObjectReference~',
  FlockerVolumeSource: 'datasetName:s datasetUUID:s',
  GCEPersistentDiskVolumeSource: 'fsType:s partition:i pdName*:s readOnly:b',
  GitRepoVolumeSource: 'directory:s repository*:s revision:s',
  GlusterfsVolumeSource: 'endpoints*:s path*:s readOnly:b',
  HostPathVolumeSource: 'path*:s type:s',
  ImageVolumeSource: 'pullPolicy:s reference:s',
  ISCSIVolumeSource: `
    chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn*:s iscsiInterface:s lun*:i portals:s[] readOnly:b
    secretRef:LocalObjectReference~ targetPortal*:s`,
  NFSVolumeSource: 'path*:s readOnly:b server*:s',
  PersistentVolumeClaimVolumeSource: 'claimName*:s readOnly:b',
  PhotonPersistentDiskVolumeSource: 'fsType:s pdID*:s',
  PortworxVolumeSource: 'fsType:s readOnly:b volumeID*:s',
  ProjectedVolumeSource: 'defaultMode:i sources:VolumeProjection[]',
  VolumeProjection: `
    clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection downwardAPI:DownwardAPIProjection
    podCertificate:PodCertificateProjection secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection`,
  ClusterTrustBundleProjection: 'labelSelector:LabelSelector~ name:s optional:b path*:s signerName:s',
  ConfigMapProjection: 'items:KeyToPath[] name:s optional:b',
  DownwardAPIProjection: 'items:DownwardAPIVolumeFile[]',
  PodCertificateProjection: `
    certificateChainPath:s credentialBundlePath:s keyPath:s keyType*:s maxExpirationSeconds:i signerName*:s userAnnotations:{s}`,
  SecretProjection: 'items:KeyToPath[] name:s optional:b',
  ServiceAccountTokenProjection: 'audience:s expirationSeconds:l path*:s',
  QuobyteVolumeSource: 'group:s readOnly:b registry*:s tenant:s user:s volume*:s',
  RBDVolumeSource: 'fsType:s image*:s keyring:s monitors*:s[] pool:s readOnly:b secretRef:LocalObjectReference~ user:s',
  ScaleIOVolumeSource: `
    fsType:s gateway*:s protectionDomain:s readOnly:b secretRef*:LocalObjectReference~ sslEnabled:b storageMode:s storagePool:s
    system*:s volumeName:s`,
  SecretVolumeSource: 'defaultMode:i items:KeyToPath[] optional:b secretName:s',
  StorageOSVolumeSource: 'fsType:s readOnly:b secretRef:LocalObjectReference~ volumeName:s volumeNamespace:s',
  VsphereVirtualDiskVolumeSource: 'fsType:s storagePolicyID:s storagePolicyName:s volumePath*:s',
  VolumeMount: 'mountPath*:s mountPropagation:s name*:s readOnly:b recursiveReadOnly:s subPath:s subPathExpr:s',
  VolumeDevice: 'devicePath*:s name*:s',
} as const;
