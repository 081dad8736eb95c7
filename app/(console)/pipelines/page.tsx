import type { Metadata } from "next";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { PipelinesPanel } from "#components/pipelines/pipelines-panel.tsx";
import { ButtonLink } from "#components/ui/button.tsx";

export const metadata: Metadata = { title: "Pipelines" };

export default function PipelinesPage() {
	return (
		<>
			<PageHeader title="Pipelines" actions={<ButtonLink href="/pipelines/templates">Templates</ButtonLink>} />
			<PageBody>
				<PipelinesPanel kind="Pipeline" />
			</PageBody>
		</>
	);
}
