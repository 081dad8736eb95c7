import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import { demandProfile } from "./demand.ts";
import type { FilterProfile, FilterProfiles, JobFilter } from "./filter-profiles.ts";

/**
 * Profiles by filter as one value of the database. A reader takes the index at its beginning, and then one profile by its place, so that
 * a filter costs the same however many there are. Layout: MAGIC, the length of the deflated index (4 bytes), the index, the profiles.
 */
const MAGIC = Buffer.from("SPF2");
/** Bytes before the index. */
const HEAD_BYTES = MAGIC.length + 4;
/** The first read: an index of 1,000 filters with names of 20 characters takes 20,000. */
export const FIRST_READ_BYTES = 65_536;
const INDEX_BYTES_MAX = 16 * 1024 ** 2;
const PROFILE_BYTES_MAX = 64 * 1024 ** 2;

const indexSchema = z.object({
	fromHour: z.number(),
	hours: z.number(),
	capacityGpus: z.number(),
	teams: z.array(z.string()),
	classes: z.array(z.string()),
	gpuModels: z.array(z.string()),
	filters: z.array(
		z.object({
			filter: z.object({ team: z.string().optional(), workloadClass: z.string().optional(), gpuModel: z.string().optional() }),
			profile: z.number(),
		}),
	),
	/** Offset behind the index, and length, of each profile. */
	places: z.array(z.object({ at: z.number(), length: z.number() })),
});
type Index = z.output<typeof indexSchema>;

/** Reads bytes of the stored value. */
export type ReadBytes = (at: number, length: number) => Promise<Uint8Array>;

export type FoundProfile = Pick<Index, "teams" | "classes" | "gpuModels"> & { profile: FilterProfile };

export function encodeFilters({ profiles, ...index }: FilterProfiles, capacityGpus: number): Buffer {
	const parts = profiles.map((profile) => deflateRawSync(JSON.stringify(profile)));
	let at = 0;
	const places = parts.map(({ length }) => {
		at += length;
		return { at: at - length, length };
	});
	const head = deflateRawSync(JSON.stringify({ ...index, capacityGpus, places } satisfies Index));
	const length = Buffer.alloc(HEAD_BYTES - MAGIC.length);
	length.writeUInt32BE(head.length);
	return Buffer.concat([MAGIC, length, head, ...parts]);
}

/**
 * The profile of the jobs that match; without demand if none do.
 * @returns null if the value is from an earlier release
 */
export async function findProfile(read: ReadBytes, wanted: JobFilter): Promise<FoundProfile | null> {
	const first = Buffer.from(await read(0, FIRST_READ_BYTES));
	if (!first.subarray(0, MAGIC.length).equals(MAGIC)) return null;
	const headEnd = HEAD_BYTES + first.readUInt32BE(MAGIC.length);
	const head = first.length >= headEnd ? first.subarray(HEAD_BYTES, headEnd) : await read(HEAD_BYTES, headEnd - HEAD_BYTES);
	const index = indexSchema.parse(parseJson(head, INDEX_BYTES_MAX));
	const { teams, classes, gpuModels } = index;
	const found = index.filters.find(({ filter }) => isSame(filter, wanted));
	const place = found && index.places[found.profile];
	if (!place) return { teams, classes, gpuModels, profile: emptyProfile(index) };
	const bytes = await read(headEnd + place.at, place.length);
	return { teams, classes, gpuModels, profile: parseJson(bytes, PROFILE_BYTES_MAX) as FilterProfile };
}

function isSame(a: JobFilter, b: JobFilter): boolean {
	return a.team === b.team && a.workloadClass === b.workloadClass && a.gpuModel === b.gpuModel;
}

/** Only `encodeFilters` writes these bytes. */
function parseJson(bytes: Uint8Array, maxOutputLength: number): unknown {
	return JSON.parse(inflateRawSync(bytes, { maxOutputLength }).toString("utf8"));
}

function emptyProfile({ fromHour, hours, capacityGpus }: Index): FilterProfile {
	const demand = demandProfile({ fromHour, demand: new Float64Array(hours), used: null, waiting: null }, capacityGpus);
	return { jobs: 0, demand, waits: { all: null, byTeam: [], byClass: [], bySize: [] }, candidates: [], candidatesLeftOut: 0 };
}
