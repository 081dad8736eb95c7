/**
 * As the `ref` of a <dialog>: it opens as a modal when it enters the page. Closed before it leaves, because that is when
 * the browser gives the focus back to where it was.
 */
export function showModal(dialog: HTMLDialogElement): () => void {
	dialog.showModal();
	return () => dialog.close();
}

/**
 * As the `ref` of the field that a modal should begin with. The browser looks for the attribute when it opens the dialog;
 * React's autoFocus comes too early for it.
 */
export function startHere(field: HTMLElement | null): void {
	field?.setAttribute("autofocus", "");
}
