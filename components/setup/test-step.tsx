"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { StateMark } from "#components/job-state/state-mark.tsx";
import { shownState } from "#components/jobs/cells.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { Place } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobView, QuoteView } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Link } from "#components/ui/link.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import {
	SETUP_TEST_NAMES,
	SETUP_TEST_PREFIX,
	SETUP_TESTS,
	type SetupTest,
	setupTestJob,
	setupTestProblem,
} from "#server/domain/setup-test.ts";
import { SkipButton } from "./skip-button.tsx";
import { Step, type StepState } from "./step.tsx";
import { useSetupSettled } from "./use-setup.ts";

const POLL_MS = 2_000;
/** Prices, capacity and the queue change while the page is open. */
const QUOTE_AGAIN_MS = 15_000;

const TITLE: Record<SetupTest, string> = { home: "At home", cloud: "In the cloud" };
const MISSING: Record<SetupTest, string> = {
	home: "Connect your cluster first, and enter what a GPU-hour of its pools costs.",
	cloud: "Connect a cloud first. Prices appear within a minute. Accelerators that your cluster also has are not used.",
};

/** A short job at home, and one that is sent to the cloud for at most $1. */
export function TestStep({ state, teams }: { state: StepState; teams: readonly string[] }) {
	const team = teams[0];
	return (
		<Step no={8} title="Test job" summary={state === "done" ? "Succeeded" : undefined} state={state}>
			{state === "done" ? null : (
				<>
					<p className="text-pretty text-ink-2">One GPU for a few seconds. The machine in the cloud is released afterwards.</p>
					{team === undefined ? (
						<p className="text-ink-3">Add a team first: it pays for the jobs.</p>
					) : (
						<div className="grid gap-3 md:grid-cols-2">
							{SETUP_TESTS.map((where) => (
								<Test key={where} where={where} team={team} />
							))}
						</div>
					)}
					{state === "open" && (
						<div>
							<SkipButton step="test" />
						</div>
					)}
				</>
			)}
		</Step>
	);
}

function Test({ where, team }: { where: SetupTest; team: string }) {
	const trpc = useTRPC();
	const isHydrated = useHydrated();
	const again = { enabled: isHydrated, refetchInterval: QUOTE_AGAIN_MS };
	const sites = useQuery(trpc.site.list.queryOptions(undefined, again));
	const offers = useQuery(trpc.offer.list.queryOptions({ limit: 1 }, again));
	const job = useTestJob(where, isHydrated);
	const failure = sites.error ?? offers.error;
	const document =
		sites.data && offers.data ? setupTestJob(where, { team, sites: sites.data, offered: offers.data.accelerators }) : undefined;
	return (
		<section aria-label={TITLE[where]} className="grid content-start gap-2 rounded-lg border p-3">
			<h3 className="font-strong">{TITLE[where]}</h3>
			{document === undefined && failure ? (
				<p role="alert" className="text-pretty text-risk-ink">
					Sites and offers could not be loaded. {describeError(failure).detail}
				</p>
			) : document === undefined ? (
				<p role="status" className="text-ink-3">
					Looking for a machine…
				</p>
			) : document === null ? (
				<p className="text-pretty text-ink-3">{MISSING[where]}</p>
			) : (
				<Run where={where} text={JSON.stringify(document)} job={job} />
			)}
			{job && <TestResult job={job} />}
		</section>
	);
}

/** The latest test job of this kind. The steps are read again when it ends. */
function useTestJob(where: SetupTest, enabled: boolean): JobView | undefined {
	const trpc = useTRPC();
	const onSettled = useSetupSettled();
	const { data } = useQuery(trpc.job.list.queryOptions({ q: SETUP_TEST_PREFIX, limit: 50 }, { enabled, refetchInterval: POLL_MS }));
	const job = data?.items.find(({ name }) => name === SETUP_TEST_NAMES[where]);
	const ended = job?.finishedAt ?? null;
	// biome-ignore lint/correctness/useExhaustiveDependencies: only the end of the job matters.
	useEffect(() => {
		if (ended !== null) onSettled();
	}, [ended]);
	return job;
}

function Run({ where, text, job }: { where: SetupTest; text: string; job: JobView | undefined }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [sent, setSent] = useState<string | null>(null);
	const quote = useQuery(trpc.quote.queryOptions({ text }, { refetchInterval: QUOTE_AGAIN_MS }));
	const submit = useMutation(
		trpc.job.submit.mutationOptions({
			onSuccess: ({ id }) => setSent(id),
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.job.list.pathKey() }),
		}),
	);
	const isRunning = (job !== undefined && job.finishedAt === null) || (sent !== null && job?.id !== sent);
	if (isRunning) return null;
	const failure = submit.error ?? quote.error;
	const problem = quote.data ? setupTestProblem(where, quote.data) : null;
	return (
		<>
			{quote.data && problem === null && <Outlook where={where} quote={quote.data} />}
			{problem !== null && <p className="text-pretty text-warn-ink">{problem}</p>}
			{failure && (
				<p role="alert" className="text-risk-ink">
					{describeError(failure).detail}
				</p>
			)}
			<Button
				className="justify-self-start"
				disabled={!quote.data || problem !== null}
				busy={submit.isPending}
				onClick={() => submit.mutate({ text })}
			>
				{job ? "Run again" : "Run test"}
			</Button>
		</>
	);
}

/** What the test would do now. */
function Outlook({ where, quote: { candidates, outcome } }: { where: SetupTest; quote: QuoteView }) {
	const chosen = candidates.find((candidate) => candidate.outcome === "chosen");
	if (where === "home") return <p className="text-ink-2">{outcome === "wait" ? "Waits for a free GPU, then runs." : "Starts now."}</p>;
	if (!chosen) return null;
	return (
		<p className="flex flex-wrap gap-x-2 text-ink-2">
			<Place {...shownPlace(chosen.placement)} would />
			<span>
				{formatMoney(chosen.cashMicroUsd, "estimate")}, at most {formatMoney(chosen.worstCaseMicroUsd, "posted")}
			</span>
		</p>
	);
}

function TestResult({ job }: { job: JobView }) {
	return (
		<div className="flex flex-wrap items-center gap-x-3 gap-y-1">
			<StateMark state={shownState(job)} progress={null} />
			{job.placement && <Place {...shownPlace(job.placement)} would={job.finishedAt === null && job.state !== "running"} />}
			{job.finishedAt !== null && <Money value={job.costMicroUsd} />}
			<Link href={`/jobs/${job.id}`} className="ml-auto text-accent underline underline-offset-2">
				Open job
			</Link>
		</div>
	);
}
