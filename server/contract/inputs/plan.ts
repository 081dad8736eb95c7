import { z } from "zod";
import { OPEN_TRACE_NAMES } from "#server/domain/open-traces.ts";

/** Days of records that a study may cover. */
export const STUDY_DAYS = [30, 90, 365] as const;
/** Base64 characters of a trace within the request, about 4.5 MB of bytes. */
const INLINE_TRACE_CHARS_MAX = 6_000_000;

const discountPercent = z.number().min(0).max(100).default(8);

export const startStudyInput = z.discriminatedUnion("source", [
	z.strictObject({
		source: z.literal("records"),
		days: z.union(
			STUDY_DAYS.map((days) => z.literal(days)),
			{ error: `must be one of ${STUDY_DAYS.join(", ")}` },
		),
		discountPercent,
	}),
	z.strictObject({
		source: z.literal("open"),
		/** A public trace included with Spillway. */
		trace: z.enum(OPEN_TRACE_NAMES),
		/** Owned GPUs. Absent: from the history. */
		gpus: z.number().int().min(1).max(1_000_000).optional(),
		discountPercent,
	}),
	z
		.strictObject({
			source: z.literal("upload"),
			/** Display name of the study, such as the file's name. */
			name: z.string().min(1).max(200),
			/** A small file's bytes in base64: CSV, sacct --parsable2 or JSON of Slurm or kubectl, gzipped or not. Or `upload`. */
			trace: z
				.base64({ error: "must be a file in base64" })
				.min(4)
				.max(INLINE_TRACE_CHARS_MAX, "The file is too large for this request. POST /plan/uploads takes it, and `upload` names it here.")
				.optional(),
			/** A file of POST /plan/uploads, which the study then deletes. */
			upload: z.string().max(64).optional(),
			/** Owned GPUs. Absent: from the history. */
			gpus: z.number().int().min(1).max(1_000_000).optional(),
			/** Only the last days of the trace. */
			days: z.number().int().min(1).max(36_500).optional(),
			discountPercent,
		})
		.refine(({ trace, upload }) => (trace === undefined) !== (upload === undefined), {
			path: ["trace"],
			error: "needs either trace or upload",
		}),
]);

export const listStudiesInput = z.strictObject({ limit: z.number().int().min(1).max(100).default(20) });

const name = z.string().max(200).optional();

export const studyDemandInput = z.strictObject({
	id: z.string().max(64),
	/** Only this team's jobs. */
	team: name,
	/** Only jobs of this class. */
	class: name,
	/** Only jobs of this GPU model. */
	gpu: name,
});

export const DECISION_FORMATS = ["json", "pdf"] as const;
