import { fieldErrorsOf } from "#components/page/field-errors.ts";
import type { Inputs } from "#components/trpc/outputs.ts";

/** The lists of data sets and stores, as they are replaced together. */
export type Lists = Inputs["dataSet"]["set"]["next"];

/** A listed copy of a data set. */
export interface ListedCopy {
	/** The address that jobs use. */
	set: string;
	at: string;
	uri: string;
	/** As the scheduler reads it. */
	readUri?: string | undefined;
	/** Days that copies of its data set stay current; undefined: for earlier jobs only. */
	freshDays?: number | undefined;
}

/** Each copy of each data set, in the order of the lists. */
export function copiesOf({ items }: Pick<Lists, "items">): ListedCopy[] {
	return items.flatMap(({ uri: set, copies, freshDays }) => copies.map((copy) => ({ set, freshDays, ...copy })));
}

/** With a copy, in place of the one of its data set at the same place. Without `freshDays`, those of the data set stay. */
export function withCopy(lists: Lists, { set, freshDays, ...copy }: ListedCopy): Lists {
	const known = lists.items.find((item) => item.uri === set);
	const copies = [...(known?.copies ?? []).filter(({ at }) => at !== copy.at), copy];
	const item = { ...known, uri: set, copies, ...(freshDays !== undefined && { freshDays }) };
	return { ...lists, items: known ? lists.items.map((other) => (other === known ? item : other)) : [...lists.items, item] };
}

/** Without a copy; a data set without copies is not listed. */
export function withoutCopy(lists: Lists, { set, at }: ListedCopy): Lists {
	const items = lists.items.map((item) => (item.uri === set ? { ...item, copies: item.copies.filter((copy) => copy.at !== at) } : item));
	return { ...lists, items: items.filter(({ copies }) => copies.length > 0) };
}

type Store = NonNullable<Lists["stores"]>[number];

/** With a store, in place of the one at the same place. */
export function withStore(lists: Lists, store: Store): Lists {
	return { ...lists, stores: [...withoutStore(lists, store.at).stores, store] };
}

export function withoutStore(lists: Lists, at: string): Lists & { stores: Store[] } {
	return { ...lists, stores: (lists.stores ?? []).filter((store) => store.at !== at) };
}

/** Errors of the entry in a form, by field. The other entries are stored already, so they have none. */
export function entryErrorsOf(
	error: unknown,
): Record<"set" | "at" | "uri" | "readUri" | "writeUri" | "usdPerGiBMonth" | "freshDays", string | undefined> {
	const errors = Object.entries(fieldErrorsOf(error));
	const of = (pattern: RegExp) => errors.find(([path]) => pattern.test(path))?.[1];
	return {
		set: of(/items\.\d+\.uri$/),
		...{
			at: of(/\.at$/),
			uri: of(/(copies|stores)\.\d+\.uri$/),
			readUri: of(/\.readUri$/),
			writeUri: of(/\.writeUri$/),
			usdPerGiBMonth: of(/\.usdPerGiBMonth$/),
			freshDays: of(/\.freshDays$/),
		},
	};
}
