import { Ec2Error, missingParameter } from "./ec2-error.ts";

/** EC2's filters: AND between names, OR between the values of one; `*` and `?` are wildcards, and `\` escapes them. */
export interface RequestFilter {
	Name?: string | undefined;
	Values?: string[] | undefined;
}

/** The values of an item for each filter name. `tags` serves `tag:<key>`, `tag-key` and `tag-value`. */
export interface FilterFields<T> {
	fields: Record<string, (item: T) => readonly string[]>;
	tags?: (item: T) => Readonly<Record<string, string>>;
}

const MAX_VALUES = 200;

/** @throws Ec2Error for a filter that the action does not support or that has no values */
export function compileFilters<T>(filters: readonly RequestFilter[] | undefined, known: FilterFields<T>): (item: T) => boolean {
	const tests = (filters ?? []).map((filter, i) => compileFilter(filter, i + 1, known));
	return (item) => tests.every((test) => test(item));
}

function compileFilter<T>(filter: RequestFilter, position: number, known: FilterFields<T>): (item: T) => boolean {
	const name = filter.Name ?? "";
	const read = readerOf(name, known);
	if (!read) throw new Ec2Error("InvalidParameterValue", `The filter '${name}' is invalid`);
	const values = filter.Values ?? [];
	if (values.length === 0) throw missingParameter(`Filter.${position}.Value`);
	if (values.length > MAX_VALUES) throw new Ec2Error("FilterLimitExceeded", `A request may carry ${MAX_VALUES} filter values.`);
	const patterns = values.map(wildcard);
	return (item) => read(item).some((value) => patterns.some((pattern) => pattern.test(value)));
}

function readerOf<T>(name: string, known: FilterFields<T>): ((item: T) => readonly string[]) | undefined {
	const { tags } = known;
	if (tags && name.startsWith("tag:")) {
		const key = name.slice("tag:".length);
		return (item) => {
			const own = tags(item);
			return Object.hasOwn(own, key) ? [own[key] ?? ""] : [];
		};
	}
	if (tags && name === "tag-key") return (item) => Object.keys(tags(item));
	return Object.hasOwn(known.fields, name) ? known.fields[name] : undefined;
}

function wildcard(text: string): RegExp {
	let pattern = "";
	for (let i = 0; i < text.length; i++) {
		const c = text.charAt(i);
		if (c === "\\" && i + 1 < text.length) pattern += literal(text.charAt(++i));
		else if (c === "*") pattern += "[\\s\\S]*";
		else if (c === "?") pattern += "[\\s\\S]";
		else pattern += literal(c);
	}
	return new RegExp(`^${pattern}$`, "u");
}

function literal(c: string): string {
	return c.replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
}
