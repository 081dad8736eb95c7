/**
 * A `ref` for a <dialog> that opens it as a modal on mount. Closes it before unmount so that the browser restores
 * focus.
 */
export function showModal(dialog: HTMLDialogElement): () => void {
	dialog.showModal();
	return () => dialog.close();
}

/**
 * A `ref` for a modal's first field. The browser reads the attribute when the dialog opens; React's autoFocus is too
 * early.
 */
export function startHere(field: HTMLElement | null): void {
	field?.setAttribute("autofocus", "");
}
