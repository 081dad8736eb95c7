import { z } from "zod";
import { RegionalRecords } from "../shared/regional-records.ts";

const setSchema = z.strictObject({
	region: z.string(),
	resourceGroup: z.string(),
	name: z.string(),
	/** As received, to be returned later. */
	request: z.record(z.string(), z.unknown()),
});
export type AvailabilitySetRecord = z.infer<typeof setSchema>;
export type AvailabilitySets = RegionalRecords<AvailabilitySetRecord>;

/** The subscription's availability sets. */
export const openAvailabilitySets = (stateDir: string): AvailabilitySets => new RegionalRecords(stateDir, "availability-sets", setSchema);
