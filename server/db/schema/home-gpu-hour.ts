import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bigInt, instant } from "./columns.ts";
import { site } from "./site.ts";

/** GPU utilization of a home node in one UTC hour, idle GPUs included: sums of the reported readings. */
export const homeGpuHour = pgTable(
	"home_gpu_hour",
	{
		siteId: text()
			.notNull()
			.references(() => site.id, { onDelete: "cascade" }),
		node: text().notNull(),
		hour: instant().notNull(),
		/** `simulated`: generated for a demo, and marked as such wherever it is shown. */
		meter: text({ enum: ["dcgm", "nvidia_smi", "simulated"] }).notNull(),
		/** GPUs of the latest reading. */
		gpus: integer().notNull(),
		/** Readings of single GPUs, and the sum of their utilization in permille. */
		readings: bigInt().notNull(),
		permille: bigInt().notNull(),
	},
	(t) => [primaryKey({ columns: [t.siteId, t.node, t.hour, t.meter] })],
);
