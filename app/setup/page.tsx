import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { Forbidden } from "#components/page/states.tsx";
import { AdministratorForm } from "#components/setup/administrator-form.tsx";
import { SetupSteps } from "#components/setup/setup-steps.tsx";
import { BrandMark } from "#components/shell/brand.tsx";
import { TrpcProviders } from "#components/trpc/client.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { sessionActor } from "#server/auth/session.ts";
import { needsAdministrator } from "#server/auth/set-up.ts";
import { hasPermission } from "#server/domain/custom-role.ts";
import { createAdministrator } from "./actions.ts";

export const metadata: Metadata = { title: "Set up" };
export const dynamic = "force-dynamic";

/** First run: the administrator with the set-up code, then company, team and policy. */
export default async function SetupPage() {
	const actor = await sessionActor();
	const isNeeded = actor === null && (await needsAdministrator());
	if (actor === null && !isNeeded) redirect("/sign-in?callbackUrl=/setup");
	return (
		<main className="mx-auto w-full max-w-160 px-4 py-8 md:py-12">
			<div className="mb-5 flex items-center gap-2.5">
				<BrandMark className="size-7" />
				<h1 className="text-xl font-bold tracking-tight">Set up Spillway</h1>
			</div>
			{actor === null ? (
				<section className="mx-auto grid max-w-110 gap-4 rounded-xl border bg-panel p-5">
					<h2 className="text-md font-semibold">First administrator</h2>
					<AdministratorForm action={createAdministrator} />
				</section>
			) : actor.kind === "person" && hasPermission(actor, "account:manage") ? (
				<Steps />
			) : (
				<Panel>
					<Forbidden what="the set-up" who="platform engineers" action={{ label: "Open Spillway", href: "/" }} />
				</Panel>
			)}
		</main>
	);
}

function Steps() {
	void getQueryClient().prefetchQuery(trpc.setup.get.queryOptions());
	void getQueryClient().prefetchQuery(trpc.groupMapping.list.queryOptions());
	return (
		<TrpcProviders owner="">
			<HydrateClient>
				<QueryBoundary what="the set-up" framed skeleton={<TextSkeleton lines={6} label="Loading the set-up" />}>
					<SetupSteps />
				</QueryBoundary>
			</HydrateClient>
		</TrpcProviders>
	);
}
