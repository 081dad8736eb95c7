import { z } from "zod";
import { RegionalRecords } from "../../shared/regional-records.ts";
import { queuedResourceBody } from "./queued-resource-body.ts";

const sliceSchema = z.strictObject({
	/** The zone. */
	region: z.string(),
	/** Id of the queued resource. */
	name: z.string(),
	madeAtMs: z.int().min(0),
	body: queuedResourceBody,
	/** Google's numbers of its hosts by worker number; none while it waits for capacity. */
	hosts: z.array(z.string()),
	/** When Google gives up waiting; null: it got its hosts. */
	waitsUntilMs: z.int().nullable(),
	isDeleting: z.boolean(),
});
export type SliceRecord = z.infer<typeof sliceSchema>;
export type SliceRecords = RegionalRecords<SliceRecord>;

/** The project's queued resources. */
export const openSliceRecords = (stateDir: string): SliceRecords => new RegionalRecords(stateDir, "queued-resources", sliceSchema);
