// Opened as a file, a page cannot fetch the list of versions; show the one it belongs to.
document.addEventListener("DOMContentLoaded", () => {
  if (window.location.protocol !== "file:") return;
  for (const button of document.querySelectorAll(".version-switcher__button")) {
    button.textContent = DOCUMENTATION_OPTIONS.theme_switcher_version_match;
    button.disabled = true;
  }
});
