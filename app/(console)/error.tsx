"use client";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";

/** A screen that failed as a whole; what fails within a panel is told there. */
export default function ConsoleError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
	return (
		<>
			<PageHeader title="This screen failed" />
			<PageBody>
				<Panel>
					<ErrorState
						title="This screen could not be shown"
						detail="The server or the browser met something that it did not expect. Try again; when it fails again, give the request's id to a platform engineer, who finds it in the log of the web server."
						requestId={error.digest ?? null}
						onRetry={reset}
					/>
				</Panel>
			</PageBody>
		</>
	);
}
