import { z } from "zod";
import { RegionalRecords } from "../../shared/regional-records.ts";

const groupSchema = z.strictObject({
	region: z.string(),
	name: z.string(),
	strategy: z.enum(["cluster", "spread"]),
	tags: z.record(z.string(), z.string()),
});
export type PlacementGroupRecord = z.infer<typeof groupSchema>;
export type PlacementGroups = RegionalRecords<PlacementGroupRecord>;

/** The account's placement groups. */
export const openPlacementGroups = (stateDir: string): PlacementGroups => new RegionalRecords(stateDir, "placement-groups", groupSchema);
