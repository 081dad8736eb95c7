import type { z } from "zod";

/**
 * What a field of a document says about itself, attached to its zod schema with `.meta()`: zod's own `title` (label in forms),
 * `description` (plain text) and `examples` (as they are written), and the keys below. The parser, JSON Schema, completion, forms and
 * the reference tables read it, so that a field is described once.
 */
declare module "zod" {
	interface GlobalMeta {
		/** Replaces `description` in the reference page. Markdown, with links. */
		docs?: string;
		/** Unit of a number, such as "GiB" or "USD per hour". */
		unit?: string;
		/** Type of the value where zod's own says too little, such as "duration". */
		valueType?: string;
		/** Shown as the default where the schema has none, such as "from past runs". */
		defaultText?: string;
		/** Text that completion inserts behind the key, such as "{ sites: [". */
		starts?: string;
		/** Sibling fields that cannot be given together with this one. */
		excludes?: readonly string[];
		/** What to do when the field is missing, empty or invalid. */
		fix?: string;
	}
}

export type FieldMeta = z.GlobalMeta;
export type Schema = z.core.$ZodType;
