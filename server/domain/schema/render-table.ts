import type { Schema } from "./field-meta.ts";
import { listFields, type SchemaField } from "./list-fields.ts";

/**
 * The reference page with its field tables regenerated. Each table is between `<!-- fields: PATH -->` and `<!--
 * /fields -->` and lists every field below PATH, with nested fields by their dotted name.
 */
export function renderTables(page: string, schema: Schema): string {
	const fields = listFields(schema);
	return page.replaceAll(
		/(<!-- fields: (\S+) -->\n)[\s\S]*?(<!-- \/fields -->)/g,
		(_all, open: string, path: string, close: string) => `${open}${tableOf(fields, path)}${close}`,
	);
}

function tableOf(fields: readonly SchemaField[], path: string): string {
	const lists = new Set(fields.filter((f) => f.isObjectList).map(pathOf));
	const rows = fields
		.filter((f) => (f.parent === path || f.parent.startsWith(`${path}.`)) && !hasChildren(fields, f))
		.map((f) => `| \`${nameBelow(path, pathOf(f), lists)}\` | ${f.type} | ${defaultText(f)} | ${f.docs ?? f.description ?? ""} |\n`);
	return `| field | type | default | meaning |\n|---|---|---|---|\n${rows.join("")}`;
}

const pathOf = (f: SchemaField): string => (f.parent === "" ? f.name : `${f.parent}.${f.name}`);

const hasChildren = (fields: readonly SchemaField[], f: SchemaField): boolean => fields.some((other) => other.parent === pathOf(f));

/** `data[].uri` for the field `uri` of each entry of `data`. */
function nameBelow(parent: string, path: string, lists: ReadonlySet<string>): string {
	const keys = path.split(".");
	const named = keys.map((key, index) => (lists.has(keys.slice(0, index + 1).join(".")) ? `${key}[]` : key));
	return named.slice(parent.split(".").length).join(".");
}

function defaultText({ isRequired, defaultValue, defaultText: text }: SchemaField): string {
	if (isRequired) return "required";
	if (text !== undefined) return text;
	if (defaultValue === undefined || isEmpty(defaultValue)) return "none";
	return `\`${String(defaultValue)}\``;
}

const isEmpty = (value: unknown): boolean => typeof value === "object" && value !== null && Object.keys(value).length === 0;
