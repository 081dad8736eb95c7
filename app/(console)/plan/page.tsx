import type { Metadata } from "next";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { Forbidden } from "#components/page/states.tsx";
import { PlanScreen } from "#components/plan/plan-screen.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "Plan" };

export default async function PlanPage() {
	const actor = await sessionActor();
	if (actor?.kind === "person" && actor.role !== "data_scientist") return <PlanScreen />;
	return (
		<>
			<PageHeader title="Plan" />
			<PageBody>
				<Panel>
					<Forbidden what="the business case" who="platform engineers and finance" detail="It shows jobs and costs of every team." />
				</Panel>
			</PageBody>
		</>
	);
}
