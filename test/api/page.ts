// As much of a browser as the console's script asks for: a page of elements, an address bar, a store for the session, a timer. Whatever
// else a script reached for would not be there, and the test would fail.

type Listener = (event: object) => void;

const VOID = new Set(['meta', 'link']);

export class PageElement {
  readonly tagName: string;
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, Listener[]>();
  readonly page: Page;
  parent: PageElement | undefined;
  childNodes: (PageElement | string)[] = [];
  scrollLeft = 0;

  constructor(page: Page, tagName: string) {
    this.page = page;
    this.tagName = tagName;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  append(...nodes: (PageElement | string)[]): void {
    for (const node of nodes) {
      if (node instanceof PageElement) node.parent = this;
      this.childNodes.push(node);
    }
  }

  replaceChildren(...nodes: (PageElement | string)[]): void {
    for (const node of this.childNodes) if (node instanceof PageElement) node.parent = undefined;
    this.childNodes = [];
    this.append(...nodes);
  }

  addEventListener(name: string, listener: Listener): void {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  /** As a person does it: a link leads where it says. */
  click(): void {
    for (const listener of this.listeners.get('click') ?? []) listener({});
    const href = this.getAttribute('href');
    if (href?.startsWith('#')) this.page.goTo(href);
  }

  focus(): void {
    this.page.activeElement = this;
  }

  get textContent(): string {
    return this.childNodes.map((node) => (typeof node === 'string' ? node : node.textContent)).join('');
  }

  set textContent(text: string) {
    this.replaceChildren(text);
  }

  /** Below it, in the order of the page. */
  get descendants(): PageElement[] {
    return this.childNodes.flatMap((node) => (typeof node === 'string' ? [] : [node, ...node.descendants]));
  }

  get ancestors(): PageElement[] {
    return this.parent ? [this.parent, ...this.parent.ancestors] : [];
  }

  /** `a`, `.scroll`, `a[href]`, `nav a`, and several of them with commas. */
  matches(selector: string): boolean {
    return selector.split(',').some((one) => {
      const [own = '', ...outer] = one.trim().split(' ').toReversed();
      const [, tag = '', className, attribute] = /^(\w*)(?:\.([\w-]+))?(?:\[([\w-]+)\])?$/.exec(own) ?? [];
      return (
        (tag === '' || tag === this.tagName) &&
        (className === undefined || (this.getAttribute('class') ?? '').split(' ').includes(className)) &&
        (attribute === undefined || this.attributes.has(attribute)) &&
        outer.every((above) => this.ancestors.some((ancestor) => ancestor.matches(above)))
      );
    });
  }

  querySelectorAll(selector: string): PageElement[] {
    return this.descendants.filter((each) => each.matches(selector));
  }

  closest(selector: string): PageElement | undefined {
    return [this, ...this.ancestors].find((each) => each.matches(selector));
  }
}

export interface PageOptions {
  html: string;
  /** Where the page comes from: `http://127.0.0.1:1234`. */
  origin: string;
  hash: string;
}

export class Page {
  readonly root: PageElement;
  readonly location: { hash: string };
  /** Every path that was fetched. */
  readonly asked: string[] = [];
  readonly #origin: string;
  readonly #session = new Map<string, string>();
  readonly #onHashChange: (() => void)[] = [];
  #tick: (() => void) | undefined;
  activeElement: PageElement | undefined;
  hidden = false;
  /** What is asked for from now on waits for it. */
  held: Promise<void> | undefined;

  constructor({ html, origin, hash }: PageOptions) {
    this.root = this.#parsed(html);
    this.#origin = origin;
    this.location = { hash };
  }

  /** What a script finds under these names. */
  get globals(): Record<string, unknown> {
    const session = this.#session;
    const { root } = this;
    // The script's own takes its place.
    const { fetch: fetched } = globalThis;
    const isHidden = (): boolean => this.hidden;
    const active = (): PageElement | undefined => this.activeElement;
    return {
      document: {
        createElement: (tag: string) => new PageElement(this, tag),
        getElementById: (id: string) => this.byId(id),
        querySelectorAll: (selector: string) => root.querySelectorAll(selector),
        contains: (element: PageElement) => element === root || element.ancestors.includes(root),
        get activeElement() {
          return active();
        },
        get hidden() {
          return isHidden();
        },
      },
      location: this.location,
      history: { replaceState: (_state: unknown, _title: string, hash: string) => (this.location.hash = hash) },
      sessionStorage: {
        getItem: (name: string) => session.get(name) ?? null,
        setItem: (name: string, value: string) => void session.set(name, value),
      },
      addEventListener: (name: string, listener: () => void) => void (name === 'hashchange' && this.#onHashChange.push(listener)),
      setInterval: (tick: () => void) => void (this.#tick = tick),
      fetch: async (path: string, init: RequestInit) => {
        this.asked.push(path);
        await this.held;
        return await fetched(`${this.#origin}${path}`, init);
      },
    };
  }

  byId(id: string): PageElement {
    const found = this.root.descendants.find((each) => each.getAttribute('id') === id);
    if (!found) throw new Error(`the page has no element with the id ${id}`);
    return found;
  }

  /** What a person reads of it. */
  get text(): string {
    return this.byId('main').textContent;
  }

  /** A link or a button, by its label or its text. @throws Error there is none */
  control(label: string): PageElement {
    const all = this.root.querySelectorAll('a[href], button');
    const found = all.find((each) => (each.getAttribute('aria-label') ?? each.textContent) === label);
    if (!found) throw new Error(`there is no ${label}, but ${all.map(({ textContent }) => textContent).join(', ')}`);
    return found;
  }

  goTo(hash: string): void {
    this.location.hash = hash;
    for (const listener of this.#onHashChange) listener();
  }

  /** The time of a refresh has come. */
  tick(): void {
    this.#tick?.();
  }

  /** Well-formed markup only, as the console's own page is. */
  #parsed(html: string): PageElement {
    const root = new PageElement(this, 'html');
    let open = root;
    for (const [, end, tag, attributes = '', text] of html.matchAll(/<(\/?)([a-z]+)([^>]*)>|([^<]+)/g)) {
      if (text !== undefined) open.append(text);
      else if (end === '/') open = open.parent ?? root;
      else if (tag !== undefined && tag !== 'html') {
        const made = new PageElement(this, tag);
        for (const [, name = '', value = ''] of attributes.matchAll(/([\w-]+)="([^"]*)"/g)) made.setAttribute(name, value);
        open.append(made);
        if (!VOID.has(tag) && !attributes.endsWith('/')) open = made;
      }
    }
    return root;
  }
}
