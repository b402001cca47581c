"use strict";
(function () {
  var record = document.getElementById("record").textContent;
  document.querySelectorAll(".copy").forEach(function (button) {
    if (!navigator.clipboard) { return; }
    button.hidden = false;
    button.addEventListener("click", function () {
      var code = button.parentElement.querySelector("code").textContent;
      navigator.clipboard.writeText(code).then(
        function () { button.textContent = "Copied"; },
        function () { button.textContent = "Copying is not allowed here"; }
      );
    });
  });
  var save = document.getElementById("save");
  save.hidden = false;
  save.addEventListener("click", function () {
    var link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([record], { type: "application/json" }));
    link.download = "record.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });
})();
