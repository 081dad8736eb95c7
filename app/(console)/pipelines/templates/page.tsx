import type { Metadata } from "next";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { TemplatesPanel } from "#components/templates/templates-panel.tsx";

export const metadata: Metadata = { title: "Templates" };

export default function TemplatesPage() {
	return (
		<>
			<PageHeader crumbs={[{ label: "Pipelines", href: "/pipelines" }]} title="Templates" />
			<PageBody>
				<TemplatesPanel />
			</PageBody>
		</>
	);
}
