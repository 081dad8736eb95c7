import type { Metadata } from "next";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { TriggersPanel } from "#components/triggers/triggers-panel.tsx";

export const metadata: Metadata = { title: "Triggers" };

export default function TriggersPage() {
	return (
		<>
			<PageHeader title="Triggers" />
			<PageBody>
				<TriggersPanel />
			</PageBody>
		</>
	);
}
