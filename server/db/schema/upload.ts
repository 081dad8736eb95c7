import { bigint, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytes, instant } from "./columns.ts";

/** A file that a person uploads for one use, such as a study's trace or a bill; deleted after its use or a day. */
export const upload = pgTable(
	"upload",
	{
		id: text().primaryKey(),
		name: text().notNull(),
		/** The permission that its use requires. */
		purpose: text({ enum: ["plan:run", "bill:import"] }).notNull(),
		createdAt: instant().notNull(),
		createdBy: text().notNull(),
	},
	(t) => [index("upload_created").on(t.createdAt)],
);

/** A file's content, without gaps. */
export const uploadPart = pgTable(
	"upload_part",
	{
		uploadId: text()
			.notNull()
			.references(() => upload.id, { onDelete: "cascade" }),
		/** Offset of the first byte. */
		at: bigint({ mode: "number" }).notNull(),
		body: bytes().notNull(),
	},
	(t) => [primaryKey({ columns: [t.uploadId, t.at] })],
);
