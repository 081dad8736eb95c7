import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";

export default function NotFound() {
	return (
		<>
			<PageHeader title="Not found" />
			<PageBody>
				<Panel>
					<EmptyState icon="question" title="There is nothing at this address" action={{ label: "Go to the jobs", href: "/jobs" }}>
						The link may be old, or it leads to something of a team that is not yours.
					</EmptyState>
				</Panel>
			</PageBody>
		</>
	);
}
