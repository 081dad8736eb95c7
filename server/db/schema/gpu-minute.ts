import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";
import { instance } from "./instance.ts";

/** GPU utilization and power of an instance in one UTC minute, measured by its agent. */
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
		/** Sum over its GPUs; null if the driver does not report it. */
		milliwatts: integer(),
	},
	(t) => [primaryKey({ columns: [t.instanceId, t.minute] }), index("gpu_minute_time").on(t.minute)],
);
