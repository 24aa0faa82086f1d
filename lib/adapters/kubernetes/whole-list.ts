// A list that is whole (R19): page after page, of which each must come, at the lowest of their versions.
import { compareResourceVersions } from '../../objects/values/resource-version.ts';
import type { ListAnswer, PageSelection } from '../../ports/cluster.ts';
import { ExpiredError } from '../../ports/errors.ts';
import { AnswerTooLongError } from './connection.ts';

export type Page<Item> = ListAnswer<Item> & { continueToken?: string };

/** @param pageSize objects of one page. @throws whatever a page fails with: a part of a list proves nothing */
export async function wholeList<Item>(
  pageSize: number,
  pageOf: (selection: Pick<PageSelection, 'limit' | 'continueToken'>) => Promise<Page<Item>>,
): Promise<ListAnswer<Item>> {
  let items: Item[] = [];
  let hasBegunAnew = false;
  let continueToken: string | undefined;
  let lowest: string | undefined;
  let limit = pageSize;
  for (;;) {
    let page: Page<Item>;
    try {
      page = await pageOf({ limit, ...(continueToken !== undefined && { continueToken }) });
    } catch (error) {
      // The state that the first pages showed is forgotten: once more from the beginning. A server that forgets as fast again is not waited for.
      if (error instanceof ExpiredError && continueToken !== undefined && !hasBegunAnew) {
        hasBegunAnew = true;
        [items, continueToken, lowest] = [[], undefined, undefined];
        continue;
      }
      // An object may take a megabyte: fewer at once, down to one.
      if (!(error instanceof AnswerTooLongError) || limit === 1) throw error;
      limit = Math.ceil(limit / 4);
      continue;
    }
    for (const item of page.items) items.push(item);
    if (lowest === undefined || compareResourceVersions(page.resourceVersion, lowest) < 0) lowest = page.resourceVersion;
    continueToken = page.continueToken;
    if (continueToken === undefined) return { items, resourceVersion: lowest, dateMs: page.dateMs };
  }
}
