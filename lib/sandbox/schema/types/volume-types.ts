// Volumes of pods and where they are mounted. Notation: notation.ts.

export const volumeTypes = {
  Volume: `
    awsElasticBlockStore@2.4:AWSElasticBlockStoreVolumeSource azureDisk@2.22:AzureDiskVolumeSource
    azureFile@2.18:AzureFileVolumeSource cephfs@2.14:CephFSVolumeSource cinder@2.13:CinderVolumeSource
    configMap@2.19:ConfigMapVolumeSource csi@2.28:CSIVolumeSource downwardAPI@2.16:DownwardAPIVolumeSource
    emptyDir@2.2:EmptyDirVolumeSource ephemeral@2.29:EphemeralVolumeSource fc@2.17:FCVolumeSource flexVolume@2.12:FlexVolumeSource
    flocker@2.15:FlockerVolumeSource gcePersistentDisk@2.3:GCEPersistentDiskVolumeSource gitRepo@2.5:GitRepoVolumeSource
    glusterfs@2.9:GlusterfsVolumeSource hostPath@2.1:HostPathVolumeSource image@2.30:ImageVolumeSource iscsi@2.8:ISCSIVolumeSource
    name*@1:s nfs@2.7:NFSVolumeSource persistentVolumeClaim@2.10:PersistentVolumeClaimVolumeSource
    photonPersistentDisk@2.23:PhotonPersistentDiskVolumeSource portworxVolume@2.24:PortworxVolumeSource
    projected@2.26:ProjectedVolumeSource quobyte@2.21:QuobyteVolumeSource rbd@2.11:RBDVolumeSource scaleIO@2.25:ScaleIOVolumeSource
    secret@2.6:SecretVolumeSource storageos@2.27:StorageOSVolumeSource vsphereVolume@2.20:VsphereVirtualDiskVolumeSource`,
  AWSElasticBlockStoreVolumeSource: 'fsType@2:s partition@3:i readOnly@4:b volumeID*@1:s',
  AzureDiskVolumeSource: 'cachingMode@3:s diskName*@1:s diskURI*@2:s fsType@4:s kind@6:s readOnly@5:b',
  AzureFileVolumeSource: 'readOnly@3:b secretName*@1:s shareName*@2:s',
  CephFSVolumeSource: 'monitors*@1:s[] path@2:s readOnly@6:b secretFile@4:s secretRef@5:LocalObjectReference~ user@3:s',
  LocalObjectReference: 'name@1:s',
  CinderVolumeSource: 'fsType@2:s readOnly@3:b secretRef@4:LocalObjectReference~ volumeID*@1:s',
  ConfigMapVolumeSource: 'defaultMode@3:i items@2:KeyToPath[] name@1.1:s optional@4:b',
  KeyToPath: 'key*@1:s mode@3:i path*@2:s',
  CSIVolumeSource: 'driver*@1:s fsType@3:s nodePublishSecretRef@5:LocalObjectReference~ readOnly@2:b volumeAttributes@4:{s}',
  DownwardAPIVolumeSource: 'defaultMode@2:i items@1:DownwardAPIVolumeFile[]',
  DownwardAPIVolumeFile: 'fieldRef@2:ObjectFieldSelector~ mode@4:i path*@1:s resourceFieldRef@3:ResourceFieldSelector~',
  ObjectFieldSelector: 'apiVersion@1:s fieldPath*@2:s',
  ResourceFieldSelector: 'containerName@1:s divisor@3:q resource*@2:s',
  EmptyDirVolumeSource: 'medium@1:s sizeLimit@2:q',
  EphemeralVolumeSource: 'volumeClaimTemplate@1:PersistentVolumeClaimTemplate',
  PersistentVolumeClaim: `
    apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:PersistentVolumeClaimSpec^ status@3:PersistentVolumeClaimStatus^`,
  PersistentVolumeClaimStatus: `
    accessModes@2:s[] allocatedResourceStatuses@7:{s} allocatedResources@5:{q} capacity@3:{q}
    conditions@4:PersistentVolumeClaimCondition[type] currentVolumeAttributesClassName@8:s modifyVolumeStatus@9:ModifyVolumeStatus phase@1:s`,
  PersistentVolumeClaimCondition: 'lastProbeTime@3:t^ lastTransitionTime@4:t^ message@6:s reason@5:s status*@2:s type*@1:s',
  ModifyVolumeStatus: 'status*@2:s targetVolumeAttributesClassName@1:s',
  PersistentVolumeClaimTemplate: 'metadata@1:ObjectMeta^ spec*@2:PersistentVolumeClaimSpec^',
  PersistentVolumeClaimSpec: `
    accessModes@1:s[] dataSource@7:TypedLocalObjectReference~ dataSourceRef@8:TypedObjectReference
    resources@2:VolumeResourceRequirements^ selector@4:LabelSelector~ storageClassName@5:s volumeAttributesClassName@9:s volumeMode@6:s
    volumeName@3:s`,
  TypedLocalObjectReference: 'apiGroup@1:s kind*@2:s name*@3:s',
  TypedObjectReference: 'apiGroup@1:s kind*@2:s name*@3:s namespace@4:s',
  VolumeResourceRequirements: 'limits@1:{q} requests@2:{q}',
  FCVolumeSource: 'fsType@3:s lun@2:i readOnly@4:b targetWWNs@1:s[] wwids@5:s[]',
  FlexVolumeSource: 'driver*@1:s fsType@2:s options@5:{s} readOnly@4:b secretRef@3:LocalObjectReference~',
  FlockerVolumeSource: 'datasetName@1:s datasetUUID@2:s',
  GCEPersistentDiskVolumeSource: 'fsType@2:s partition@3:i pdName*@1:s readOnly@4:b',
  GitRepoVolumeSource: 'directory@3:s repository*@1:s revision@2:s',
  GlusterfsVolumeSource: 'endpoints*@1:s path*@2:s readOnly@3:b',
  HostPathVolumeSource: 'path*@1:s type@2:s',
  ImageVolumeSource: 'pullPolicy@2:s reference@1:s',
  ISCSIVolumeSource: `
    chapAuthDiscovery@8:b chapAuthSession@11:b fsType@5:s initiatorName@12:s iqn*@2:s iscsiInterface@4:s lun*@3:i portals@7:s[]
    readOnly@6:b secretRef@10:LocalObjectReference~ targetPortal*@1:s`,
  NFSVolumeSource: 'path*@2:s readOnly@3:b server*@1:s',
  PersistentVolumeClaimVolumeSource: 'claimName*@1:s readOnly@2:b',
  PhotonPersistentDiskVolumeSource: 'fsType@2:s pdID*@1:s',
  PortworxVolumeSource: 'fsType@2:s readOnly@3:b volumeID*@1:s',
  ProjectedVolumeSource: 'defaultMode@2:i sources@1:VolumeProjection[]',
  VolumeProjection: `
    clusterTrustBundle@5:ClusterTrustBundleProjection configMap@3:ConfigMapProjection downwardAPI@2:DownwardAPIProjection
    podCertificate@6:PodCertificateProjection secret@1:SecretProjection serviceAccountToken@4:ServiceAccountTokenProjection`,
  ClusterTrustBundleProjection: 'labelSelector@3:LabelSelector~ name@1:s optional@5:b path*@4:s signerName@2:s',
  ConfigMapProjection: 'items@2:KeyToPath[] name@1.1:s optional@4:b',
  DownwardAPIProjection: 'items@1:DownwardAPIVolumeFile[]',
  PodCertificateProjection: `
    certificateChainPath@6:s credentialBundlePath@4:s keyPath@5:s keyType*@2:s maxExpirationSeconds@3:i signerName*@1:s
    userAnnotations@7:{s}`,
  SecretProjection: 'items@2:KeyToPath[] name@1.1:s optional@4:b',
  ServiceAccountTokenProjection: 'audience@1:s expirationSeconds@2:l path*@3:s',
  QuobyteVolumeSource: 'group@5:s readOnly@3:b registry*@1:s tenant@6:s user@4:s volume*@2:s',
  RBDVolumeSource: 'fsType@3:s image*@2:s keyring@6:s monitors*@1:s[] pool@4:s readOnly@8:b secretRef@7:LocalObjectReference~ user@5:s',
  ScaleIOVolumeSource: `
    fsType@9:s gateway*@1:s protectionDomain@5:s readOnly@10:b secretRef*@3:LocalObjectReference~ sslEnabled@4:b storageMode@7:s
    storagePool@6:s system*@2:s volumeName@8:s`,
  SecretVolumeSource: 'defaultMode@3:i items@2:KeyToPath[] optional@4:b secretName@1:s',
  StorageOSVolumeSource: 'fsType@3:s readOnly@4:b secretRef@5:LocalObjectReference~ volumeName@1:s volumeNamespace@2:s',
  VsphereVirtualDiskVolumeSource: 'fsType@2:s storagePolicyID@4:s storagePolicyName@3:s volumePath*@1:s',
  VolumeMount: 'mountPath*@3:s mountPropagation@5:s name*@1:s readOnly@2:b recursiveReadOnly@7:s subPath@4:s subPathExpr@6:s',
  VolumeDevice: 'devicePath*@2:s name*@1:s',
} as const;
