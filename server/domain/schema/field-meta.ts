import type { z } from "zod";

/**
 * Metadata of a document field, attached to its zod schema with `.meta()`: zod's own `title` (label in forms),
 * `description` (plain text) and `examples` (as written in a file), and the keys below. The parser, JSON Schema,
 * completion, forms and the reference tables all read it, so that a field is described only once.
 */
declare module "zod" {
	interface GlobalMeta {
		/** Replaces `description` in the reference page. Markdown, with links. */
		docs?: string;
		/** Unit of a number, such as "GiB" or "USD per hour". */
		unit?: string;
		/** Type of the value when zod's own is too general, such as "duration". */
		valueType?: string;
		/** Shown as the default when the schema has none, such as "from past runs". */
		defaultText?: string;
		/** Text that completion inserts after the key, such as "{ sites: [". */
		starts?: string;
		/** Sibling fields that exclude this one. */
		excludes?: readonly string[];
		/** What to do when the field is missing, empty or invalid. */
		fix?: string;
	}
}

export type FieldMeta = z.GlobalMeta;
export type Schema = z.core.$ZodType;
