// Where Farloop decides otherwise than upstream's controller, and why. Sections are those of the specification that both are held against.
export interface Decision {
  section: string;
  why: string;
  stories: RegExp;
  /** As `differencesBetween` names places. */
  at: RegExp;
  theirs?: RegExp;
  ours?: RegExp;
}

export const DECISIONS: readonly Decision[] = [
  {
    section: '7.5',
    why: 'a trouble that may pass is no failure of the pod: it is tried again, and shows in the status only after five tries',
    stories: /^(broken-never|deleted-while-refused)$/,
    at: /^(after "\w+" p|calls p|told p Normal Provider(Create|Delete)Success)/,
  },
  {
    section: '7.5',
    why: 'an update that fails never touches the phase of a pod that runs',
    stories: /^update-(broken|refused)$/,
    at: /^(after "labelled" p|calls p|told p Normal ProviderUpdateSuccess)/,
  },
  {
    section: '18.5',
    why: 'how a connection breaks is said in our own words',
    stories: /^create-cut$/,
    at: /^told p Warning ProviderCreateFailed/,
  },
  {
    section: '8.3',
    why: 'a phase never goes back',
    stories: /^(begins-later|goes-back)$/,
    at: /^after "it (begins|is pending again)" p$/,
    ours: /^Running/,
  },
  {
    section: '6.3',
    why: 'a change is told once: the state of before is not sent again',
    stories: /^changed-twice$/,
    at: /^calls p$/,
    ours: /^createPod; updatePod \[{"a":"1"}[^;]*; updatePod \[{"a":"2"}[^;]*$/,
  },
  {
    section: '8.3',
    why: 'conditions of others stay',
    stories: /^others-condition$/,
    at: /^after /,
    ours: /example\.com\/Gate True/,
  },
  {
    section: '8.3',
    why: 'the word of the scheduler that the pod was placed stays, whatever a provider leaves out',
    stories: /^not-ready$/,
    at: /^after "it is not ready" p$/,
    ours: /PodScheduled True; Ready False ContainersNotReady/,
  },
  {
    section: '10.2',
    why: 'a pod that has failed is not ready, nor are its containers',
    stories: /^vanishes$/,
    at: /^after "its task is lost" p$/,
    ours: /^Failed, reason NotFound, .*Ready False PodFailed; main ended with -137, NotFound$/,
  },
  {
    section: '10.3',
    why: "a pod ends with its containers' real exit codes, and once they have ended",
    stories: /^(deleted-and-held|ends-slowly)$/,
    at: /^after /,
  },
  {
    section: '9.2',
    why: 'a pod whose deletion fell into an absence goes as soon as its task has ended',
    stories: /^restart-deleted$/,
    at: /^after "deleted meanwhile" p$/,
    ours: /^gone$/,
  },
  {
    section: '25, trap 24',
    why: 'a name is no identity: another pod of that name is started',
    stories: /^again-by-that-name$/,
    at: /^(after "made again" p|calls p)$/,
  },
  { section: '11.3', why: 'resources of containers are variables', stories: /^env-resources$/, at: /^environment p main A$/, ours: /^2$/ },
];
