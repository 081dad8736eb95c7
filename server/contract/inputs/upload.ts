import { z } from "zod";

/** Base64 characters of one part: below the limit of a request. */
const PART_CHARS_MAX = 6_000_000;

/** A part of a file, in order. The first has no `upload`, which its answer names. */
export const uploadPartInput = z.strictObject({
	upload: z.string().max(64).optional(),
	/** The file's name; only of the first part. */
	name: z.string().trim().min(1).max(200),
	/** Bytes sent before. The same part again changes nothing. */
	at: z.number().int().min(0),
	contentBase64: z.base64().min(4).max(PART_CHARS_MAX),
});
