import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";
import { instance } from "./instance.ts";

/** What the GPUs of an instance did in one UTC minute, as its agent measured it. */
export const gpuMinute = pgTable(
	"gpu_minute",
	{
		instanceId: text()
			.notNull()
			.references(() => instance.id),
		minute: instant().notNull(),
		gpus: integer().notNull(),
		/** Mean over its GPUs and the minute. */
		utilisationPermille: integer().notNull(),
		/** Of all its GPUs together; null when the driver does not tell. */
		milliwatts: integer(),
	},
	(t) => [primaryKey({ columns: [t.instanceId, t.minute] })],
);
