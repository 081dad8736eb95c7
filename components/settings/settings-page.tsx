import type { ReactNode } from "react";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { type SettingsTab, SettingsTabs } from "./settings-tabs.tsx";

/**
 * A page of Settings with one query's panels. `what` names them in errors; `rows` and `columns` shape the skeleton. `notShown`:
 * who sees the page, for a role that does not.
 */
export function SettingsPage(props: {
	title: string;
	tab: SettingsTab;
	what: string;
	rows: number;
	columns: number;
	notShown?: string | undefined;
	children: ReactNode;
}) {
	const { title, tab, what, rows, columns, notShown, children } = props;
	const skeleton = (
		<Panel>
			<TableSkeleton rows={rows} columns={columns} label={`Loading ${what}`} />
		</Panel>
	);
	return (
		<>
			<PageHeader title={title} />
			<SettingsTabs current={tab} />
			<PageBody>
				{notShown === undefined ? (
					<QueryBoundary what={what} framed skeleton={skeleton}>
						{children}
					</QueryBoundary>
				) : (
					<Panel title={title}>
						<EmptyState icon="lock" title="Not shown to your role">
							{notShown}
						</EmptyState>
					</Panel>
				)}
			</PageBody>
		</>
	);
}
