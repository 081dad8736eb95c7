"use client";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { CompanyStep } from "./company-step.tsx";
import { PolicyStep } from "./policy-step.tsx";
import { SiteStep } from "./site-step.tsx";
import { Step } from "./step.tsx";
import { StoreStep } from "./store-step.tsx";
import { TeamStep } from "./team-step.tsx";
import { TestStep } from "./test-step.tsx";

/** The steps after the first administrator. Each can be skipped and resumed. */
export function SetupSteps() {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.setup.get.queryOptions());
	return (
		<div className="grid gap-3">
			<Step no={1} title="Administrator" state="done">
				{null}
			</Step>
			<CompanyStep state={data.steps.company} zone={data.zone} />
			<TeamStep state={data.steps.team} teams={data.teams} />
			<SiteStep step="cluster" no={4} title="Your cluster" state={data.steps.cluster} names={data.clusters} />
			<SiteStep step="cloud" no={5} title="Cloud account" state={data.steps.cloud} names={data.clouds} />
			<StoreStep state={data.steps.store} names={data.stores} teams={data.teams} />
			<PolicyStep state={data.steps.policy} />
			<TestStep state={data.steps.test} teams={data.teams} />
			<section className="rounded-xl border bg-panel px-5 py-4">
				<h2 className="text-sm font-semibold">Next</h2>
				<p className="mt-1 text-pretty text-ink-2">Add people, then submit a job.</p>
				<div className="mt-3 flex flex-wrap gap-2">
					<ButtonLink href="/settings/people">Add people</ButtonLink>
					<ButtonLink href="/jobs/new">New job</ButtonLink>
					<ButtonLink href="/" variant="primary">
						Open Spillway
					</ButtonLink>
				</div>
			</section>
		</div>
	);
}
