import { z } from "zod";
import type { Placement } from "./capacity.ts";
import type { DataRef } from "./job.ts";
import { artifactOfUri } from "./output.ts";
import type { JobState } from "./states.ts";

/** The facets that Spillway adds to OpenLineage: one definition for both the events and `/schemas/lineage.json`. */
export const lineageFacetsSchema = z
	.strictObject({
		spillway_cost: z.looseObject({
			microUsd: z.string().meta({ description: "Cost of all attempts, micro-dollars, owned hardware included." }),
			isComplete: z.boolean().meta({ description: "All time of the job is charged." }),
		}),
		spillway_carbon: z.looseObject({ emissionsGrams: z.number().meta({ description: "Emissions of all attempts, grams of CO2." }) }),
		spillway_policy: z.looseObject({
			name: z.string(),
			version: z.number().int().meta({ description: "Policy version that placed the latest attempt." }),
		}),
		spillway_placement: z.looseObject({
			provider: z.string(),
			region: z.string().nullable(),
			instanceType: z.string().nullable(),
			capacityType: z.string(),
		}),
		spillway_job: z.looseObject({
			id: z.string(),
			team: z.string(),
			class: z.string(),
			gpus: z.number().int(),
			attempts: z.number().int(),
		}),
		spillway_output: z.looseObject({ digest: z.string(), bytes: z.string(), files: z.number().int() }),
	})
	.meta({ title: "Spillway facets of OpenLineage", description: "Facets that Spillway adds to OpenLineage events." });

type Facets = z.infer<typeof lineageFacetsSchema>;

/** A job that has started, and may have ended. */
export interface LineageFacts {
	id: string;
	runId: string;
	name: string;
	team: string;
	class: string;
	gpus: number;
	attempts: number;
	state: JobState;
	startedAtMs: number;
	finishedAtMs: number | null;
	placement: Placement | null;
	/** Why it failed or was cancelled, as a sentence. */
	why: string;
	policy: { name: string; version: number } | null;
	costMicroUsd: bigint;
	emissionsMilligrams: bigint;
	/** Whether all its time is charged, which makes cost and emissions final. */
	isCharged: boolean;
	data: readonly DataRef[];
	outputs: readonly { id: string; digest: string; bytes: bigint; files: number }[];
	/** Its pipeline or sweep. */
	pipeline: { runId: string; name: string } | null;
}

export interface LineageSettings {
	/** OpenLineage namespace of jobs and results. */
	namespace: string;
	/** URL of this installation, used as producer of the events and in the schema URLs of their facets. */
	publicUrl: string;
}

const SPEC = "https://openlineage.io/spec";

/** Event type for the end of a run: cancelled runs are ABORT. */
const END_TYPES: Partial<Record<JobState, "COMPLETE" | "FAIL" | "ABORT">> = { succeeded: "COMPLETE", failed: "FAIL", cancelled: "ABORT" };

/** The START event of a run; sent once, before the end event. */
export function startEvent(facts: LineageFacts, settings: LineageSettings): object {
	return eventOf("START", facts.startedAtMs, facts, settings);
}

/** The COMPLETE, FAIL or ABORT event of an ended run; null for any other. */
export function endEvent(facts: LineageFacts, settings: LineageSettings): object | null {
	const type = END_TYPES[facts.state];
	return type === undefined || facts.finishedAtMs === null ? null : eventOf(type, facts.finishedAtMs, facts, settings);
}

function eventOf(type: string, atMs: number, facts: LineageFacts, settings: LineageSettings): object {
	const { namespace, publicUrl } = settings;
	const isEnd = type !== "START";
	return {
		eventType: type,
		eventTime: new Date(atMs).toISOString(),
		producer: publicUrl,
		schemaURL: `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`,
		run: { runId: facts.runId, facets: runFacets(type, facts, settings) },
		job: {
			namespace,
			name: `${facts.team}.${facts.name}`,
			facets: {
				jobType: {
					...{ _producer: publicUrl, _schemaURL: `${SPEC}/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet` },
					...{ processingType: "BATCH", integration: "SPILLWAY", jobType: "JOB" },
				},
			},
		},
		inputs: facts.data.map(({ uri }) => datasetOf(uri, namespace)),
		outputs: isEnd
			? facts.outputs.map(({ id, digest, bytes, files }) => ({
					...{ namespace, name: artifactName(id) },
					outputFacets: { spillway_output: own(settings, "spillway_output", { digest, bytes: bytes.toString(), files }) },
				}))
			: [],
	};
}

function runFacets(type: string, facts: LineageFacts, settings: LineageSettings): Record<string, object> {
	const { publicUrl: _producer, namespace } = settings;
	const { id, team, gpus, attempts, placement, policy, pipeline } = facts;
	return {
		spillway_job: own(settings, "spillway_job", { id, team, class: facts.class, gpus, attempts }),
		...(policy && { spillway_policy: own(settings, "spillway_policy", policy) }),
		...(placement && {
			spillway_placement: own(settings, "spillway_placement", {
				...{ provider: placement.provider, region: placement.region },
				...{ instanceType: placement.instanceType, capacityType: placement.capacityType },
			}),
		}),
		...(type !== "START" && {
			spillway_cost: own(settings, "spillway_cost", { microUsd: facts.costMicroUsd.toString(), isComplete: facts.isCharged }),
			spillway_carbon: own(settings, "spillway_carbon", { emissionsGrams: Number(facts.emissionsMilligrams) / 1_000 }),
		}),
		...(pipeline && {
			parent: {
				...{ _producer, _schemaURL: `${SPEC}/facets/1-2-0/ParentRunFacet.json#/$defs/ParentRunFacet` },
				...{ run: { runId: pipeline.runId }, job: { namespace, name: `${team}.${pipeline.name}` } },
			},
		}),
		...(type === "FAIL" && {
			errorMessage: {
				...{ _producer, _schemaURL: `${SPEC}/facets/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet` },
				...{ message: facts.why, programmingLanguage: "unknown" },
			},
		}),
	};
}

function own<K extends keyof Facets>({ publicUrl }: LineageSettings, name: K, facet: Facets[K]): object {
	return { _producer: publicUrl, _schemaURL: `${publicUrl}/schemas/lineage.json#/properties/${name}`, ...facet };
}

const artifactName = (id: string): string => `artifacts/${id}`;

/** A data set in OpenLineage terms: `s3://bucket` and the path in it. A result is named as the output of its job. */
function datasetOf(uri: string, namespace: string): { namespace: string; name: string } {
	const id = artifactOfUri(uri);
	if (id !== null) return { namespace, name: artifactName(id) };
	const match = /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/]*@)?([^/?#]+)(\/[^?#]*)?/.exec(uri);
	if (!match) return { namespace: "file", name: uri.replace(/^file:/, "") };
	const [, scheme = "", host = "", path = "/"] = match;
	return { namespace: `${scheme}://${host}`, name: path.replace(/^\/+|\/+$/g, "") || "/" };
}
