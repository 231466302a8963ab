// In a notebook the page is the document of a frame, whose addresses are relative to the notebook: a link inside the
// page would load the notebook again.
if (location.protocol === "about:") {
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    document.getElementById(link.getAttribute("href").slice(1))?.scrollIntoView();
  });
}
