import { readFile } from "node:fs/promises";
import path from "node:path";
import { TRPCError } from "@trpc/server";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { checkDraft } from "#components/submit/check-draft.ts";
import { editYaml } from "#components/submit/edit-yaml.ts";
import { jobYaml } from "#components/submit/job-yaml.ts";
import { SubmitScreen } from "#components/submit/submit-screen.tsx";
import { jobTemplates } from "#components/submit/templates.ts";
import { formatShort } from "#components/time/format-time.ts";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "New job" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Loads the example job with its absolute path on this host; null where the examples are not shipped. */
async function exampleFile(team: string): Promise<string | null> {
	const folder = path.join(process.cwd(), "examples", "language-id");
	const text = await readFile(path.join(folder, "job.yaml"), "utf8").catch(() => null);
	const placed = text && editYaml(text, ["spec", "data", 0, "uri"], `file:${folder}`);
	return placed && editYaml(placed, ["metadata", "team"], team);
}

/** "Clone job": the source job's file, without a deadline that has passed. */
async function copyOf(id: string, nowMs: number): Promise<{ text: string; note: string }> {
	try {
		const job = await getQueryClient().fetchQuery(trpc.job.get.queryOptions({ id }));
		const past = job.spec.deadlineMs !== null && job.spec.deadlineMs < nowMs;
		const from = `Copied from ${job.name} (${formatShort(Date.parse(job.submittedAt), nowMs)})`;
		return {
			text: jobYaml(past ? { ...job.spec, deadlineMs: null } : job.spec),
			note: past ? `${from}; past deadline removed` : from,
		};
	} catch (error) {
		if (error instanceof TRPCError && error.code === "NOT_FOUND") notFound();
		throw error;
	}
}

export default async function NewJobPage({ searchParams }: Props) {
	const { from } = await searchParams;
	const actor = await sessionActor();
	if (actor?.kind !== "person" || actor.role === "finance") return <SubmitScreen job={null} />;
	const client = getQueryClient();
	const teams = await client.fetchQuery(trpc.team.names.queryOptions());
	const team = actor.teams.find((t) => teams.includes(t)) ?? teams[0] ?? "";
	const templates = jobTemplates(team, await exampleFile(team));
	const copy = typeof from === "string" ? await copyOf(from, Date.now()) : null;
	const initial = copy?.text ?? templates[0]?.text ?? "";
	// Awaited so that server and browser render the same result of a plain query.
	await client.prefetchQuery(trpc.quote.queryOptions({ text: initial }));
	return (
		<HydrateClient>
			<SubmitScreen
				key={typeof from === "string" ? from : "new"}
				job={{ initial: { text: initial, check: checkDraft(initial) }, teams, templates, note: copy?.note ?? null }}
			/>
		</HydrateClient>
	);
}
